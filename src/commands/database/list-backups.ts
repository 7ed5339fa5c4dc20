import { Command } from "commander";
import type { BackupLocation, Place, StoredBackup } from "../../domain/backups/location.ts";
import { openLocations } from "../../wiring/backups/locations.ts";
import { print } from "../print.ts";
import { tableOf, terminalWidth } from "../table.ts";
import { formatBytes } from "./format-bytes.ts";
import { backupTarget } from "./target.ts";

const HEAD = ["NAME", "PLACE", "SIZE", "PETS", "ORDERS", "KEYS", "STATE"];

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
    found.length === 0
      ? `There are no backups in ${backups.directory}.`
      : tableOf([HEAD, ...found.map(row)], HEAD.indexOf("STATE"), terminalWidth()),
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

function row({ name, place, bytes, description }: Listed): string[] {
  const counts = [description?.pets, description?.orders, description?.keys];
  const state = description === undefined ? "not verified" : (description.problem ?? "verified");
  return [name, place, formatBytes(bytes), ...counts.map((count) => count?.toLocaleString("en") ?? "?"), state];
}
