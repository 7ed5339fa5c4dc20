import { afterAll, beforeAll } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { petstoreCommand } from "../../src/commands/petstore.ts";
import { readConfig } from "../../src/wiring/config.ts";
import { openStores, type Stores } from "../../src/wiring/stores.ts";
import { temporaryDirectory } from "../support/temporary.ts";

/** Commands on a database of their own, which run in this process, one after the other. `env`: more of its settings. */
export function useCommands(env: Record<string, string> = {}) {
  const directory = temporaryDirectory();
  const path = join(directory, "petstore.db");
  const settings: Record<string, string> = {
    DATABASE_URL: `sqlite:${path}`,
    PETSTORE_BASE_URL: "http://shop.test/v1",
    ...env,
  };
  const before = { ...process.env };
  beforeAll(() => {
    Object.assign(process.env, settings);
    // Each list listens to it, and lists end before it does.
    process.stdout.setMaxListeners(0);
  });
  afterAll(() => {
    for (const name of Object.keys(settings)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
    rmSync(directory, { recursive: true });
  });

  /** What a command prints on standard output. */
  async function saying(...words: string[]): Promise<string> {
    let printed = "";
    const { write } = process.stdout;
    process.stdout.write = ((text: string | Uint8Array, ...rest: unknown[]) => {
      printed += Buffer.from(text as string).toString();
      for (const done of rest) if (typeof done === "function") done();
      return true;
    }) as typeof write;
    try {
      await (await petstoreCommand(words[0])).parseAsync(words, { from: "user" });
    } finally {
      process.stdout.write = write;
    }
    return stripVTControlCharacters(printed);
  }

  return {
    directory,
    path,
    settings,
    saying,
    json: async (...words: string[]) => JSON.parse(await saying(...words, "--json")),
    /** Lets `work` use the stores of the database. */
    async withStores<Result>(work: (stores: Stores) => Promise<Result>): Promise<Result> {
      const stores = await openStores(readConfig(settings), () => {});
      try {
        return await work(stores);
      } finally {
        await stores.close();
      }
    },
  };
}

/** The lines of a text, each as its cells: of details its name and its value. */
export function rowsOf(text: string): string[][] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ {2,}/));
}

/** A time of JSON as texts have it. */
export function timeOf(iso: unknown): string {
  return String(iso).replace("T", " ").replace(/\.\d+/, "");
}
