import { Command } from "commander";
import { parseDuration } from "../duration.ts";
import { withExistingStores } from "../stores.ts";
import { formatTime } from "../time.ts";
import { ID_ARGUMENT, JSON_OPTION } from "./options.ts";
import { printSecret } from "./print-secret.ts";

/** The default grace period of the old secret: 24 h, in ms. */
const DEFAULT_GRACE = 86_400_000;

export function rotateCommand(): Command {
  return new Command("rotate")
    .description("Give a key a new secret and print it. The old one works for a grace period; limits and counts stay.")
    .argument(...ID_ARGUMENT)
    .option("--grace <duration>", "grace period of the old secret, such as 24h; 0s ends it now", parseDuration)
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      "\nThe default grace period is 24h.\n\nExample:\n  petstore keys rotate key_4kTn0aWq7JbYcX2z --grace 1h",
    )
    .action(rotate);
}

async function rotate(id: string, { grace = DEFAULT_GRACE, json }: { grace?: number; json?: boolean }): Promise<void> {
  await withExistingStores(async ({ keyAdministration, config }) => {
    const now = Date.now();
    const issued = await keyAdministration.rotate(id, grace, now);
    const end = Math.min(now + grace, issued.key.expiresAt ?? Infinity);
    const remark = grace === 0 ? "The old secret no longer works." : `The old secret works until ${formatTime(end)}.`;
    printSecret({ issued, baseUrl: config.baseUrls[config.deployment], remark }, json);
  });
}
