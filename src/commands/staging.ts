import type { Command } from "commander";
import { StartupError } from "../domain/errors.ts";
import { resetShop, type ShopReset, sampleShop } from "../domain/shop.ts";
import { databaseNameOf, readConfig } from "../wiring/config.ts";
import { MAX_SEED_PETS, readSeedFile } from "../wiring/imports.ts";
import { inputOf, type ReadOptions, readOptions } from "./files.ts";
import { defineCommand, defineGroup, type JsonOption } from "./options.ts";
import { count, print } from "./output.ts";
import { type CommandStores, withExistingStores } from "./stores.ts";

type ResetOptions = JsonOption & ReadOptions & { seed?: string; yes?: boolean };

const reset = defineCommand({
  name: "reset",
  description: "Remove all pets, categories and orders of staging, and add sample ones or those of a file, at once.",
  options: [
    ["--seed <file>", "a file of pets, as `petstore pets import` takes it"],
    ...readOptions,
    ["--yes", "do it: without this the command shows what it would remove"],
  ],
  about: `PETSTORE_DEPLOYMENT must be staging. A running service may use the database:
clients see what was there before, or what is there afterwards. Keys, usage and
the audit log stay.

A file has at most ${MAX_SEED_PETS.toLocaleString("en")} pets. They come with the sample categories, and
without orders. If a line is invalid, nothing changes.`,
  examples: [
    "PETSTORE_DEPLOYMENT=staging petstore staging reset --yes",
    "PETSTORE_DEPLOYMENT=staging petstore staging reset --seed pets.csv --yes",
  ],
  action: async (options: ResetOptions, command: Command) => {
    const { seed, yes = false, json } = options;
    const { deployment, database } = readConfig(process.env);
    if (deployment !== "staging") {
      throw new StartupError(`This is ${deployment}. Only staging can be reset: set PETSTORE_DEPLOYMENT=staging.`);
    }
    const file = seed === undefined ? undefined : await inputOf(seed, options, command);
    await withExistingStores(async (stores) => {
      if (!yes) throw new StartupError(await confirmation(stores, databaseNameOf(database)));
      const shop =
        file === undefined
          ? sampleShop({ now: Date.now() })
          : await readSeedFile({ ...file, chunks: file.input.chunks() }, stores.config.checksCategories);
      const done = await resetShop(stores.shop, deployment, shop, { by: stores.author, now: Date.now() });
      const { firstPetId = null, ...counts } = done;
      print(json, { ...counts, firstPetId }, () => text(done));
    });
  },
});

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

export const stagingCommand = defineGroup("staging", "Reset staging to sample data.", [reset]);
