import { acceptLoss, checkDatabase, type DatabaseCheck } from "../adapters/sqlite/check.ts";
import type { IdRange } from "../adapters/sqlite/ids.ts";
import { problemOfFile } from "../wiring/backups/make-backup.ts";
import { databaseNameOf, readConfig } from "../wiring/config.ts";
import { migrateStores } from "../wiring/stores.ts";
import { backup, backups, restore } from "./database-backups.ts";
import { defineCommand, defineGroup, type JsonOption } from "./options.ts";
import { print } from "./output.ts";
import { asRun } from "./program.ts";
import { CREATE_OPTION, configWith, requireDatabase, requireFile } from "./stores.ts";

const RESTORE = asRun("Stop the service and restore a backup with `petstore database restore`");

const check = defineCommand({
  name: "check",
  description:
    "Look for damage and lost pets in the database. Works while the service runs. Exits with 1 if it finds any.",
  options: [["--accept-loss", "have lost pets no longer reported, if you cannot restore them"]],
  examples: ["petstore database check"],
  action: async ({ acceptLoss: isAccepted = false, json }: JsonOption & { acceptLoss?: boolean }) => {
    const { database, deployment } = readConfig(process.env);
    const path = requireFile(database, "Check it with pg_amcheck.");
    requireDatabase(database);
    const startedAt = performance.now();
    const changed = await problemOfFile(path, deployment);
    const { problems: others, lost, damagedMark } = checkDatabase({ path, deployment });
    const problems = changed === undefined ? others : [changed, ...others];
    const losses = isAccepted ? [] : lossesOf({ lost, damagedMark });
    const seconds = Number(((performance.now() - startedAt) / 1000).toFixed(3));
    if (isAccepted && (lost !== undefined || damagedMark !== undefined)) acceptLoss({ path, deployment });
    const intact = problems.length === 0 && losses.length === 0;
    const lines = () =>
      intact ? [`${path} is intact (${seconds.toFixed(1)} s).`] : damageLines(path, problems, losses);
    print(json, { path, intact, problems, lost: lost ?? null, damagedMark: damagedMark ?? null, seconds }, () =>
      [
        ...lines(),
        ...(isAccepted && lost !== undefined
          ? [`The loss of ${idsOf(lost)} is accepted, and no longer reported.`]
          : []),
      ].join("\n"),
    );
    if (!intact) process.exitCode = 1;
  },
});

function damageLines(path: string, problems: string[], losses: string[]): string[] {
  return [
    `${path} is damaged:`,
    ...[...problems, ...losses].map((problem) => `  ${problem}`),
    problems.length > 0 ? `${RESTORE}.` : `${RESTORE}, or accept the loss with --accept-loss.`,
  ];
}

function lossesOf({ lost, damagedMark }: Pick<DatabaseCheck, "lost" | "damagedMark">): string[] {
  return [
    ...(lost === undefined ? [] : [`acknowledged pets are lost: ${idsOf(lost)}`]),
    ...(damagedMark === undefined
      ? []
      : [`${damagedMark} is damaged: whether acknowledged pets are lost is not known`]),
  ];
}

function idsOf({ from, to }: IdRange): string {
  return `ids ${from} to ${to}`;
}

const migrate = defineCommand({
  name: "migrate",
  description:
    "Bring the schema of the database up to date, and create the database if it is missing. `serve` does this too.",
  options: [CREATE_OPTION],
  examples: ["petstore database migrate"],
  action: async ({ create, json }: JsonOption & { create?: boolean }) => {
    const config = configWith(create);
    const { from, to } = await migrateStores(config);
    const database = databaseNameOf(config.database);
    print(json, { database, from, to }, () =>
      from === to ? `${database} is up to date: schema ${to}.` : `${database} went from schema ${from} to ${to}.`,
    );
  },
});

export const databaseCommand = defineGroup(
  "database",
  "Migrate, check, back up and restore the database that DATABASE_URL names.",
  [migrate, check, backup, backups, restore],
);
