import { Command } from "commander";
import { acceptLoss } from "../adapters/sqlite/accept-loss.ts";
import { checkDatabase, type DatabaseCheck } from "../adapters/sqlite/check.ts";
import type { IdRange } from "../adapters/sqlite/ids.ts";
import { problemOfFile } from "../wiring/backups/make-backup.ts";
import { databaseNameOf, readConfig } from "../wiring/config.ts";
import { migrateStores } from "../wiring/stores.ts";
import { backupCommand, backupsCommand, restoreCommand } from "./database-backups.ts";
import { print } from "./output.ts";
import { asRun } from "./program.ts";
import { CREATE_OPTION, configWith, requireDatabase, requireFile } from "./stores.ts";

function checkCommand(): Command {
  return new Command("check")
    .description(
      "Look for damage and lost pets in the database. Works while the service runs. Exits with 1 if it finds any.",
    )
    .option("--accept-loss", "have lost pets no longer reported, if you cannot restore them")
    .option("--json", "print JSON, for scripts")
    .addHelpText("after", "\nExample:\n  petstore database check")
    .action(check);
}

const RESTORE = asRun("Stop the service and restore a backup with `petstore database restore`");

async function check({
  acceptLoss: isAccepted = false,
  json,
}: {
  acceptLoss?: boolean;
  json?: boolean;
}): Promise<void> {
  const { database, deployment } = readConfig(process.env);
  const path = requireFile(database, "Check it with pg_amcheck.");
  requireDatabase(database);
  const startedAt = performance.now();
  const changed = await problemOfFile(path, deployment);
  const { problems: others, lost } = checkDatabase({ path, deployment });
  const problems = changed === undefined ? others : [changed, ...others];
  const seconds = Number(((performance.now() - startedAt) / 1000).toFixed(3));
  if (isAccepted && lost !== undefined) acceptLoss({ path, deployment });
  const intact = problems.length === 0 && (isAccepted || lost === undefined);
  print(json, { path, intact, problems, lost: lost ?? null, seconds }, () =>
    [
      ...(intact
        ? [`${path} is intact (${seconds.toFixed(1)} s).`]
        : damageLines(path, { problems, lost }, isAccepted)),
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

function migrateCommand(): Command {
  return new Command("migrate")
    .description(
      "Bring the schema of the database up to date, and create the database if it is missing. `serve` does this too.",
    )
    .option(...CREATE_OPTION)
    .option("--json", "print JSON, for scripts")
    .addHelpText("after", "\nExample:\n  petstore database migrate")
    .action(migrate);
}

async function migrate({ create, json }: { create?: boolean; json?: boolean }): Promise<void> {
  const config = configWith(create);
  const { from, to } = await migrateStores(config);
  const database = databaseNameOf(config.database);
  print(json, { database, from, to }, () =>
    from === to ? `${database} is up to date: schema ${to}.` : `${database} went from schema ${from} to ${to}.`,
  );
}

export function databaseCommand(): Command {
  return new Command("database")
    .description("Migrate, check, back up and restore the database that DATABASE_URL names.")
    .addCommand(migrateCommand())
    .addCommand(checkCommand())
    .addCommand(backupCommand())
    .addCommand(backupsCommand())
    .addCommand(restoreCommand());
}
