import { Command } from "commander";
import { verifyBackup } from "../../wiring/backups/verify-backup.ts";
import { print } from "../print.ts";
import { backupTarget } from "./target.ts";

export function verifyCommand(): Command {
  return new Command("verify")
    .description("Read a whole backup and look for damage. Exits with 1 if it finds any.")
    .argument("<name>", "the name of a backup, as the list has it")
    .option("--s3", "download and verify the copy in the bucket")
    .option("--json", "print JSON, for scripts")
    .addHelpText("after", '\nExample:\n  petstore database backups verify "$NAME"')
    .action(verify);
}

async function verify(name: string, { s3 = false, json }: { s3?: boolean; json?: boolean }): Promise<void> {
  const verification = await verifyBackup(backupTarget(), { name, place: s3 ? "s3" : "directory" }, Date.now());
  const { problem } = verification;
  print(json, verification, () => (problem === null ? `${name} is intact.` : `${name} is damaged: ${problem}`));
  if (problem !== null) process.exitCode = 1;
}
