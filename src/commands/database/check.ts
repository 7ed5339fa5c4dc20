import { Command } from "commander";
import { checkDatabase } from "../../adapters/sqlite/check.ts";
import { readConfig } from "../../wiring/config.ts";
import { print } from "../print.ts";
import { requireDatabase, requireFile } from "../stores.ts";

export function checkCommand(): Command {
  return new Command("check")
    .description(
      "Look for damage and lost pets in the database. Works while the service runs. Exits with 1 if it finds any.",
    )
    .option("--json", "print JSON, for scripts")
    .addHelpText("after", "\nExample:\n  petstore database check")
    .action(check);
}

function check({ json }: { json?: boolean }): void {
  const { database, deployment } = readConfig(process.env);
  const path = requireFile(database, "Check it with pg_amcheck.");
  requireDatabase(database);
  const startedAt = performance.now();
  const { problems, lost } = checkDatabase({ path, deployment });
  const seconds = Number(((performance.now() - startedAt) / 1000).toFixed(3));
  const isIntact = problems.length === 0 && lost === undefined;
  print(json, { path, intact: isIntact, problems, lost: lost ?? null, seconds }, () =>
    isIntact
      ? `${path} is intact (${seconds.toFixed(1)} s).`
      : [
          `${path} is damaged:`,
          ...problems.map((problem) => `  ${problem}`),
          ...(lost === undefined ? [] : [`  acknowledged pets are lost: ids ${lost.from} to ${lost.to}`]),
          "Stop the service and restore a backup with `petstore database restore`.",
        ].join("\n"),
  );
  if (!isIntact) process.exitCode = 1;
}
