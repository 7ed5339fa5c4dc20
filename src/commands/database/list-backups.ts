import { Command } from "commander";
import type { BackupLocation, Place, StoredBackup } from "../../domain/backups/location.ts";
import { openLocations } from "../../wiring/backups/locations.ts";
import { count } from "../count.ts";
import { print } from "../print.ts";
import { columnsOf, cut, terminalWidth } from "../table.ts";
import { formatBytes } from "./format-bytes.ts";
import { backupTarget } from "./target.ts";

const HEAD = ["NAME", "PLACE", "SIZE", "STATE"];

export function listCommand(): Command {
  return new Command("list")
    .description("List all backups, newest first.")
    .option("--json", "print JSON, for scripts")
    .addHelpText("after", "\nExample:\n  petstore database backups list --json | jq -r '.[0].name'")
    .action(list);
}

async function list({ json }: { json?: boolean }): Promise<void> {
  const { backups, deployment } = backupTarget();
  const { directory, s3 } = await openLocations(backups, deployment);
  const found = [...(await listed("directory", directory)), ...(await listed("s3", s3))];
  found.sort((a, b) => b.at - a.at);
  print(json, found.map(backupJson), () =>
    found.length === 0 ? `There are no backups in ${backups.directory}.` : tableText(found),
  );
}

type Listed = StoredBackup & { place: Place };

async function listed(place: Place, location: BackupLocation | undefined): Promise<Listed[]> {
  const stored = (await location?.list()) ?? [];
  return stored.map((backup) => ({ ...backup, place }));
}

function backupJson({ name, place, at, bytes, description }: Listed) {
  const { cause = null, pets = null, orders = null, keys = null, schema = null, problem = null } = description ?? {};
  const verifiedAt = description && new Date(description.verifiedAt).toISOString();
  const createdAt = new Date(at).toISOString();
  return { name, place, createdAt, bytes, cause, pets, orders, keys, schema, verifiedAt: verifiedAt ?? null, problem };
}

/** Names take half of a line of 80 columns: what a backup contains, or what is wrong with it, is below. */
function tableText(found: Listed[]): string {
  const [head, ...lines] = columnsOf([HEAD, ...found.map(row)]).split("\n");
  const below = found.map((backup) => cut(`  ${contentsOf(backup)}`, terminalWidth()));
  return [head, ...lines.flatMap((line, i) => [line, below[i]])].join("\n");
}

function row({ name, place, bytes, description }: Listed): string[] {
  const state = description === undefined ? "not verified" : description.problem === null ? "verified" : "damaged";
  return [name, place, formatBytes(bytes), state];
}

function contentsOf({ description }: Listed): string {
  if (description === undefined) return "No description is beside it.";
  const { problem, pets, orders, keys } = description;
  const counts = [count(pets, ["pet", "pets"]), count(orders, ["order", "orders"]), count(keys, ["key", "keys"])];
  return problem ?? counts.join(" · ");
}
