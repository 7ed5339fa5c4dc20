import { Command } from "commander";
import { operatorJson } from "../../domain/operators/json.ts";
import { JSON_OPTION } from "../keys/options.ts";
import { print } from "../print.ts";
import { withExistingStores } from "../stores.ts";

export function revokeCommand(): Command {
  return new Command("revoke")
    .description("Revoke an operator permanently. Its token and sessions are refused from now on.")
    .argument("<id>", "the operator's id, such as op_4kTn…: `petstore operators list` shows it")
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  petstore operators revoke op_4kTn0aWq7JbYcX2z")
    .action(revoke);
}

async function revoke(id: string, { json }: { json?: boolean }): Promise<void> {
  await withExistingStores(async ({ operatorAdministration }) => {
    const operator = await operatorAdministration.revoke(id, Date.now());
    print(json, operatorJson(operator), () => `Operator ${id}, "${operator.name}", is revoked.`);
  });
}
