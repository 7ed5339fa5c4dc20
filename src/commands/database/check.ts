import { Command } from "commander";
import { acceptLoss } from "../../adapters/sqlite/accept-loss.ts";
import { checkDatabase, type DatabaseCheck } from "../../adapters/sqlite/check.ts";
import type { IdRange } from "../../adapters/sqlite/ids.ts";
import { readConfig } from "../../wiring/config.ts";
import { COMMAND } from "../launcher.ts";
import { print } from "../print.ts";
import { requireDatabase, requireFile } from "../stores.ts";

export function checkCommand(): Command {
  return new Command("check")
    .description(
      "Look for damage and lost pets in the database. Works while the service runs. Exits with 1 if it finds any.",
    )
    .option("--accept-loss", "have lost pets no longer reported, if you cannot restore them")
    .option("--json", "print JSON, for scripts")
    .addHelpText("after", "\nExample:\n  petstore database check")
    .action(check);
}

const RESTORE = `Stop the service and restore a backup with \`${COMMAND} database restore\``;

function check({ acceptLoss: isAccepted = false, json }: { acceptLoss?: boolean; json?: boolean }): void {
  const { database, deployment } = readConfig(process.env);
  const path = requireFile(database, "Check it with pg_amcheck.");
  requireDatabase(database);
  const startedAt = performance.now();
  const found = checkDatabase({ path, deployment });
  const seconds = Number(((performance.now() - startedAt) / 1000).toFixed(3));
  const { problems, lost } = found;
  if (isAccepted && lost !== undefined) acceptLoss({ path, deployment });
  const intact = problems.length === 0 && (isAccepted || lost === undefined);
  print(json, { path, intact, problems, lost: lost ?? null, seconds }, () =>
    [
      ...(intact ? [`${path} is intact (${seconds.toFixed(1)} s).`] : damageLines(path, found, isAccepted)),
      ...(isAccepted && lost !== undefined ? [`The loss of ${idsOf(lost)} is accepted, and no longer reported.`] : []),
    ].join("\n"),
  );
  if (!intact) process.exitCode = 1;
}

function damageLines(path: string, { problems, lost }: DatabaseCheck, isAccepted: boolean): string[] {
  return [
    `${path} is damaged:`,
    ...problems.map((problem) => `  ${problem}`),
    ...(isAccepted || lost === undefined ? [] : [`  acknowledged pets are lost: ${idsOf(lost)}`]),
    problems.length > 0 ? `${RESTORE}.` : `${RESTORE}, or accept the loss with --accept-loss.`,
  ];
}

function idsOf({ from, to }: IdRange): string {
  return `ids ${from} to ${to}`;
}
