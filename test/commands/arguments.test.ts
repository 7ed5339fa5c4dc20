import { expect, test } from "bun:test";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { type Command, CommanderError, InvalidArgumentError } from "commander";
import { petstoreCommand } from "../../src/commands/petstore.ts";
import { parseWorkers } from "../../src/commands/workers.ts";
import { defaultScopes, scopes } from "../../src/domain/keys/key.ts";
import { variables } from "../../src/wiring/config.ts";
import { expectKept } from "../support/kept-copy.ts";
import { states } from "../support/markdown.ts";

/** The output of a command line that commander ends, and whether it is a usage error. */
async function said(args: string[]): Promise<{ isUsageError: boolean; text: string }> {
  const command = await petstoreCommand(args[0]);
  let text = "";
  const write = (more: string) => {
    text += more;
  };
  for (const one of allOf(command))
    one.configureOutput({ writeOut: write, writeErr: write, getOutHelpWidth: () => 80 });
  try {
    await command.parseAsync(args, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) return { isUsageError: error.exitCode !== 0, text };
    throw error;
  }
  throw new Error(`petstore ${args.join(" ")} ran`);
}

function allOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allOf)];
}

function pathOf(command: Command): string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()];
}

const all = allOf(await petstoreCommand());
const leaves = all.filter(({ commands }) => commands.length === 0);

test.each([[[]], ...leaves.map((leaf) => [pathOf(leaf)])])("petstore %j --help has an example", async (path) => {
  const { isUsageError, text } = await said([...path, "--help"]);
  expect(isUsageError).toBe(false);
  expect(text).toStartWith(["Usage: petstore", ...path].join(" "));
  expect(text).toMatch(/^Examples?:\n +.*petstore/m);
});

test.each(all.map((command) => [pathOf(command)]))("petstore %j --help has at most 80 columns", async (path) => {
  const { text } = await said([...path, "--help"]);
  expect(text.split("\n").filter((line) => line.length > 80)).toEqual([]);
});

test.each(all.map((command) => [pathOf(command)]))("petstore help %j prints what --help does", async (path) => {
  states("docs/commands.md", "`petstore help` | Prints the help of a command.", "Each command has its own `--help`.");
  expect(await said(["help", ...path])).toEqual(await said([...path, "--help"]));
});

/** All that the help says to operators. */
test("the help of all commands is as it was agreed on", async () => {
  const helps: string[] = [];
  for (const command of all) {
    const path = pathOf(command);
    const { text } = await said([...path, "--help"]);
    helps.push(`${["##### petstore", ...path].join(" ")}\n${text}`);
  }
  expectKept(join(import.meta.dir, "help.txt"), helps.join("\n").trimEnd());
});

test("a default that the help has in words is the one that a command without the option has", async () => {
  const worded = leaves.flatMap((leaf) =>
    leaf.options.flatMap(({ long, defaultValue, defaultValueDescription: words }) =>
      words === undefined ? [] : [[pathOf(leaf).join(" "), long, defaultValue, words]],
    ),
  );
  const others = scopes.filter((scope) => !defaultScopes.includes(scope));
  expect(worded).toEqual([["keys create", "--scopes", defaultScopes, `all but ${others.join(", ")}`]]);
});

test.each(["serve", "keys", "openapi"])("petstore %s has no other commands", async (name) => {
  const { commands } = await petstoreCommand(name);
  expect(commands.map((command) => command.name())).toEqual([name]);
});

test.each(["completion", "help", "sell", "constructor", "--version", undefined])(
  "petstore %s has all",
  async (name) => {
    expect((await petstoreCommand(name)).commands).toHaveLength(19);
  },
);

test.each([
  ["help sell", "unknown command 'sell'"],
  ["help orders sell", "unknown command 'orders sell'"],
  ["help orders approve 1", "unknown command 'orders approve 1'"],
  ["", "Usage: petstore"],
  ["keys", "Usage: petstore keys"],
  ["sell", "unknown command 'sell'"],
  ["openapi --colour", "unknown option '--colour'"],
  ["keys create --plan free", "--name <text>"],
  ["keys create --name x", "--plan <plan>"],
  ["keys create --plan free --name ", "1 to 100 characters"],
  ["keys create --plan free --name \u001b[31m", "without control characters"],
  ["keys create --name x --plan gold", "free, pro, business, enterprise"],
  ["keys create --name x --plan free --per-minute 5", "are for enterprise only"],
  ["keys create --name x --plan enterprise --per-minute 5", "--per-day <number>"],
  ["keys create --name x --plan enterprise --per-minute 0 --per-day 5", "from 1 to 1000000000"],
  [
    "keys create --name x --plan free --scopes pets:eat",
    "one or more of pets:read, pets:write, orders:read, orders:write",
  ],
  ["keys create --name x --plan free --scopes pets:read,pets:read", "orders:write, events:read, key:rotate, separated"],
  ["keys create --name x --plan free --expires soon", "30s, 15m, 24h or 90d"],
  ["keys create --name x --plan free --expires 0d", "longer than 0"],
  ["keys rotate key_x --grace -1h", "30s, 15m, 24h or 90d"],
  ["keys set-plan key_x", "one of free, pro, business, enterprise"],
  ["keys set-plan key_x pro --plan free", "two different plans"],
  ["keys show", "missing required argument 'id'"],
  ["keys list everything", "too many arguments"],
  ["pets import", "missing required argument 'file'"],
  ["pets import -", "the format of standard input is unknown; add --format ndjson or --format csv"],
  ["pets import - --format xml", "ndjson, csv"],
  ["pets export --status lost", "available, pending, sold"],
  ["pets export --json", "--json needs a file"],
  ["orders export - --json", "--json needs a file: standard output has the orders"],
  ["pets export a --output b", "name the file once"],
  ["pets list --status lost", "available, pending, sold"],
  ["pets list --category x", "It must be an integer from -9223372036854775808 to 9223372036854775807."],
  ["pets list --ids 1,,2", "It must be an integer"],
  ["pets list --name ", "1 to 255 characters"],
  ["pets list --limit 0", "above 0"],
  ["pets show", "missing required argument 'id'"],
  ["pets show 9223372036854775808", "It must be an integer from 1 to 9223372036854775807."],
  ["pets show -1", "It must be an integer from 1 to 9223372036854775807."],
  ["pets list --after -1", "It must be an integer from 0 to 9223372036854775807."],
  ["orders list --pet 0", "It must be an integer from 1 to 9223372036854775807."],
  ["orders place", "missing required argument 'petId'"],
  ["categories show 01", "It must be an integer from -9223372036854775808 to 9223372036854775807."],
  ["audit --after 9007199254740992", "It must be an integer from 0 to 9007199254740991."],
  ["audit --since 2026-12-02T10:00", "a date or a time, such as 2026-12-02 or 2026-12-02T10:00:00Z"],
  ["pets update 1", "nothing to change; add --name, --category or --status"],
  ["pets update 1 --status lost", "available, pending, sold"],
  ["categories list --name ", "1 to 100 characters"],
  ["categories import -", "the format of standard input is unknown"],
  ["orders list --status lost", "placed, approved, delivered, cancelled"],
  ["orders approve", "missing required argument 'id'"],
  ["database backups verify", "missing required argument 'name'"],
  ["database restore a b", "too many arguments"],
])("petstore %s is a usage error", async (line, expected) => {
  const { isUsageError, text } = await said(line === "" ? [] : line.split(" "));
  expect(isUsageError).toBe(true);
  expect(text).toContain(expected);
});

/** The options whose value may be any text. What it means is looked up when the command runs. */
const FREE = {
  keys: ["--search <text>", "--after <id>"],
  pets: ["--rejected <file>", "--output <file>"],
  categories: ["--rejected <file>", "--output <file>"],
  orders: ["--output <file>"],
  requests: ["--key <text>", "--operation <ids>"],
  audit: ["--operator <text>", "--target <id>"],
  database: ["--name <name>", "--to <file>"],
  openapi: ["--output <file>"],
  serve: ["--host <address>", "--database <url>"],
  staging: ["--seed <file>"],
};

test("each option refuses a value that it has no meaning for, unless it may be any text", () => {
  const free: Record<string, string[]> = {};
  for (const leaf of leaves) {
    for (const { flags, required, hidden, parseArg } of leaf.options) {
      if (!required || hidden) continue;
      try {
        parseArg?.("\u0000?", undefined);
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidArgumentError);
        continue;
      }
      const [noun = ""] = pathOf(leaf);
      free[noun] = [...new Set([...(free[noun] ?? []), flags])];
    }
  }
  expect(free).toEqual(FREE);
});

test("an option with several values takes all of them, in any order, with blanks, and one twice as once", () => {
  const found: string[] = [];
  for (const leaf of leaves)
    for (const { flags, description, parseArg } of leaf.options) {
      const [, text] = /: (\w[\w.]*(?:, \w[\w.]*)+)$/.exec(description) ?? [];
      if (text === undefined) continue;
      const all = text.split(", ");
      const read = (given: string) => parseArg?.(given, undefined) as unknown;
      found.push(`${pathOf(leaf).join(" ")} ${flags}`);
      expect(read(all.toReversed().join(" , "))).toEqual(all);
      expect(read(`${all[1]},${all[1]}`)).toEqual([all[1]]);
      expect(() => read(`${all[1]},`)).toThrow(/^It must be/);
    }
  expect(found).toEqual([
    ...["keys list --state <states>", "keys list --plan <plans>", "events list --types <types>"],
    ...["webhooks create --types <types>", "webhooks update --types <types>", "requests list --error <codes>"],
    "audit --action <actions>",
  ]);
});

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];

/** What the value of an option may be by the name of its value, and what it means; and texts that are refused. */
const values: Record<string, { means: [text: string, value: number][]; refused: string[] }> = {
  "<time>": {
    means: [
      ["2026-12-02", Date.UTC(2026, 11, 2)],
      ["2026-12-02T10:00Z", Date.UTC(2026, 11, 2, 10)],
      ["2026-12-02T10:00:30Z", Date.UTC(2026, 11, 2, 10, 0, 30)],
      ["2026-12-02T10:00:30.25Z", Date.UTC(2026, 11, 2, 10, 0, 30, 250)],
      ["2026-12-02T10:00:30+02:00", Date.UTC(2026, 11, 2, 8, 0, 30)],
      ["2026-12-02T10:00-05:30", Date.UTC(2026, 11, 2, 15, 30)],
    ],
    refused: ["2026-12-02T10:00", "2026-12-02 10:00Z", "2026-13-02", "2026-12-2", "1796083200000", "now", ""],
  },
  "<duration>": {
    means: [
      ["30s", 30 * SECOND],
      ["15m", 15 * MINUTE],
      ["24h", 24 * HOUR],
      ["90d", 90 * DAY],
    ],
    refused: ["30", "1.5h", "-1h", "1w", "h", ""],
  },
};
const described = Object.entries(values).flatMap(([name, forms]) =>
  leaves.flatMap((leaf) =>
    leaf.options
      .filter(({ flags, hidden }) => flags.endsWith(` ${name}`) && !hidden)
      .map((option) => ({ path: pathOf(leaf).join(" "), flags: option.flags, option, ...forms })),
  ),
);

test.each(described)("petstore $path takes each form of $flags, and no other", ({ option, means, refused }) => {
  for (const [text, value] of means) expect([text, Number(option.parseArg?.(text, undefined))]).toEqual([text, value]);
  for (const text of refused) expect(() => option.parseArg?.(text, undefined)).toThrow(/^It must be/);
});

/** 64 bits, and what JavaScript counts exactly, each with what is just outside. */
const CANDIDATES = [
  ...["-9223372036854775809", "-9223372036854775808", "-1", "0", "1"],
  ...["9007199254740991", "9007199254740992", "9223372036854775807", "9223372036854775808"],
];

/** The smallest and the largest of the candidates that a parser takes; undefined if it takes texts. */
function rangeOf(parse: ((text: string, previous: unknown) => unknown) | undefined): string | undefined {
  const taken = CANDIDATES.filter((text) => {
    try {
      return parse?.(text, undefined) !== undefined;
    } catch {
      return false;
    }
  });
  return parse === undefined || taken.length === CANDIDATES.length ? undefined : `${taken[0]} to ${taken.at(-1)}`;
}

test("ids are those that the interface has: of pets and orders from 1, of categories any, and after any of them", () => {
  const found: Record<string, string[]> = {};
  for (const leaf of leaves) {
    const parts = [
      ...leaf.registeredArguments.map((argument) => ({ name: `<${argument.name()}>`, parse: argument.parseArg })),
      ...leaf.options.map((option) => ({ name: option.flags, parse: option.parseArg })),
    ];
    for (const { name, parse } of parts.filter((part) => /<(petId|ids?)>$/.test(part.name))) {
      const range = rangeOf(parse);
      if (range !== undefined) found[range] = [...(found[range] ?? []), `${pathOf(leaf).join(" ")} ${name}`];
    }
  }
  const { "undefined to undefined": others, ...ranges } = found;
  // The id of a request has its time in it.
  expect(others).toEqual(["requests list --after <id>"]);
  expect(ranges).toEqual({
    "-9223372036854775808 to 9223372036854775807": [
      "pets list --category <id>",
      "pets update --category <id>",
      "categories list --ids <ids>",
      "categories list --after <id>",
      "categories show <id>",
      "categories rename <id>",
      "categories delete <id>",
    ],
    "1 to 9223372036854775807": [
      "pets list --ids <ids>",
      "pets show <id>",
      "pets update <id>",
      "pets delete <id>",
      "orders list --pet <id>",
      "orders list --ids <ids>",
      "orders show <id>",
      "orders place <petId>",
      "orders approve <id>",
      "orders deliver <id>",
      "orders cancel <id>",
    ],
    "0 to 9223372036854775807": ["pets list --after <id>", "orders list --after <id>", "events list --after <id>"],
    "0 to 9007199254740991": [
      "webhooks create --after <id>",
      "webhooks redeliver --event <id>",
      "webhooks redeliver --after <id>",
      "audit --after <id>",
    ],
    "1 to 9007199254740991": ["alerts list --after <id>", "alerts acknowledge <id>"],
  });
});

test("times and durations are options of several commands", () => {
  expect(new Set(described.map(({ path }) => path))).toEqual(
    new Set(["audit", "keys create", "keys rotate", "requests list", "usage", "webhooks rotate"]),
  );
});

test("there are 1 to 256 workers, or one for each core", () => {
  states("docs/commands.md", "`--workers auto` starts one process per core.");
  states("docs/running.md", "`auto` starts one per core");
  expect(["1", "256", "auto"].map(parseWorkers)).toEqual([1, 256, availableParallelism()]);
  for (const text of ["0", "257", "1.5", "-1", "", "many"]) {
    expect(() => parseWorkers(text)).toThrow("It must be a whole number from 1 to 256, or auto.");
  }
});

test("a demo refuses each setting that it ignores as an option, and says so", async () => {
  states(
    "docs/running.md",
    "The settings of the database, its backups, Redis, the deployment and its base address are ignored; all others apply.",
  );
  const ignored = {
    PETSTORE_DEPLOYMENT: ["--deployment", "--staging", "--production"],
    DATABASE_URL: ["--database", "--db", "--database-url"],
    REDIS_URL: ["--redis"],
    PETSTORE_STAGING_BASE_URL: ["--staging-base-url"],
    PETSTORE_BACKUP_EVERY: ["--backup-every"],
    PETSTORE_BACKUP_S3: ["--backup-s3"],
  };
  for (const [name, options] of Object.entries(ignored))
    for (const option of options)
      expect((await said(["demo", option])).text).toContain(`A demo ignores the setting ${name}.\n`);
  for (const { name } of variables.filter((one) => !(one.name in ignored))) {
    const option = `--${name
      .replace(/^PETSTORE_/, "")
      .toLowerCase()
      .replaceAll("_", "-")}`;
    expect([option, (await said(["demo", option])).text]).not.toEqual([option, expect.stringContaining("ignores")]);
  }
});

/** Options, and those that say the opposite, or have no meaning beside them. */
const exclusive: [command: string, option: string, others: string[]][] = [
  [
    "requests list",
    "--follow",
    ["--since 2026-12-01", "--until 2026-12-01", "--limit 3", "--after 1796083200000_1796083200000-00000000-0_0"],
  ],
  ["keys list", "--by-owner", ["--newest"]],
  ["keys simulate key_a", "--every 2", ["--next 3", "--percent 5"]],
  ["keys simulate key_a", "--percent 5", ["--next 3"]],
  ["keys simulate key_a", "--end", ["--answer internal_error", "--next 3", "--every 2", "--percent 5", "--seed 7"]],
];
const pairs = exclusive.flatMap(([command, option, others]) =>
  others.map((other) => [command, option, other] as const),
);

test.each(pairs)("petstore %s takes no %s with %s", async (command, option, other) => {
  const { isUsageError, text } = await said(`${command} ${option} ${other}`.split(" "));
  expect(isUsageError).toBe(true);
  expect(text).toContain("cannot be used with option");
});
