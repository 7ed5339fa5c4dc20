import { Command, Option } from "commander";
import { formatOf } from "../adapters/files/content.ts";
import { Input } from "../adapters/files/input.ts";
import { StartupError } from "../domain/errors.ts";
import { type Format, formats, withRaw } from "../domain/files.ts";
import { resetShop, type ShopReset, sampleShop } from "../domain/shop.ts";
import { databaseNameOf, readConfig } from "../wiring/config.ts";
import { MAX_SEED_PETS, readSeedFile } from "../wiring/imports.ts";
import { JSON_OPTION } from "./options.ts";
import { count, print } from "./output.ts";
import { type CommandStores, withExistingStores } from "./stores.ts";

type ResetCommandOptions = { seed?: string; format?: Format; raw?: boolean; yes?: boolean; json?: boolean };

function resetCommand(): Command {
  return new Command("reset")
    .description("Remove all pets, categories and orders of staging, and add sample ones or those of a file, at once.")
    .option("--seed <file>", "a file of pets, as `petstore pets import` takes it")
    .addOption(
      new Option("--format <format>", "format of the file, if its extension does not show it").choices(formats),
    )
    .option("--raw", "take texts in CSV as they are: the file was exported with --raw")
    .option("--yes", "do it: without this the command shows what it would remove")
    .option(...JSON_OPTION)
    .addHelpText("after", HELP)
    .action(reset);
}

const HELP = `
PETSTORE_DEPLOYMENT must be staging. A running service may use the database:
clients see what was there before, or what is there afterwards. Keys, usage and
the audit log stay. No id is given again: ids go on where they were.

A file has at most ${MAX_SEED_PETS.toLocaleString("en")} pets. They come with the sample categories, and
without orders. If a line is invalid, nothing changes.

Examples:
  PETSTORE_DEPLOYMENT=staging petstore staging reset --yes
  PETSTORE_DEPLOYMENT=staging petstore staging reset --seed pets.csv --yes`;

async function reset({ seed, format, raw, yes = false, json }: ResetCommandOptions, command: Command): Promise<void> {
  const { deployment, database } = readConfig(process.env);
  if (deployment !== "staging") {
    throw new StartupError(`This is ${deployment}. Only staging can be reset: set PETSTORE_DEPLOYMENT=staging.`);
  }
  const file = seed === undefined ? undefined : fileAt(seed, format ?? formatOf(seed), raw, command);
  await withExistingStores(async (stores) => {
    if (!yes) throw new StartupError(await confirmation(stores, databaseNameOf(database)));
    const shop =
      file === undefined ? sampleShop({ now: Date.now() }) : await readSeedFile(file, stores.config.checksCategories);
    const done = await resetShop(stores.shop, deployment, shop, { by: stores.author, now: Date.now() });
    const { firstPetId = null, ...counts } = done;
    print(json, { ...counts, firstPetId }, () => text(done));
  });
}

function fileAt(path: string, format: Format | undefined, isRaw: boolean | undefined, command: Command) {
  if (format === undefined) {
    command.error(`error: the format of ${path} is unknown; add --format ${formats.join(" or --format ")}`);
  }
  return { chunks: Input.file(path).chunks(), format: withRaw(format, isRaw) };
}

async function confirmation({ pets, orders }: CommandStores, database: string): Promise<string> {
  const { available, pending, sold } = await pets.inventory();
  const orderCounts = Object.values(await orders.counts()).reduce((sum, number) => sum + number, 0);
  const contents = `${count(available + pending + sold, ["pet", "pets"])} and ${count(orderCounts, ["order", "orders"])}`;
  return `${database} has ${contents}. To remove them, with all categories, repeat the command with --yes.`;
}

function text({ pets, categories, orders, firstPetId }: ShopReset): string {
  const from = firstPetId === undefined ? "" : ` from id ${firstPetId} on`;
  return `Staging has ${count(pets, ["pet", "pets"])}${from}, ${count(categories, ["category", "categories"])} and ${count(orders, ["order", "orders"])}.`;
}

export function stagingCommand(): Command {
  return new Command("staging").description("Reset staging to sample data.").addCommand(resetCommand());
}
