import { Command } from "commander";
import { parseDuration } from "../duration.ts";
import { withExistingStores } from "../stores.ts";
import { printIssued } from "./issued.ts";
import { ID_ARGUMENT, JSON_OPTION } from "./options.ts";

/** How long an old secret goes on working where nothing else is said: a day, in ms. */
const GRACE = 86_400_000;

export function rotateCommand(): Command {
  return new Command("rotate")
    .description("Give a key a new secret, and show it. The old one works on for a while; limits and counts stay.")
    .argument(...ID_ARGUMENT)
    .option("--grace <duration>", "how long the old secret works on, such as 24h; 0s ends it now", parseDuration)
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      "\nThe grace is 24h if left out.\n\nExample:\n  petstore keys rotate key_4kTn0aWq7JbYcX2z --grace 1h",
    )
    .action(rotate);
}

async function rotate(id: string, { grace = GRACE, json }: { grace?: number; json?: boolean }): Promise<void> {
  await withExistingStores(async ({ keyAdministration, config }) => {
    const issued = await keyAdministration.rotate(id, grace, Date.now());
    printIssued(issued, config, json);
  });
}
