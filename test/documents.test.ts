import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Command } from "commander";
import { chartOf, growthChartOf, ratesIn, tablesIn } from "../bench/chart.ts";
import { CHART, GROWTH_CHART, GROWTH_PAGE, PAGE } from "../bench/page.ts";
import { openApiDocument } from "../src/adapters/http/document.ts";
import { anchorOf } from "../src/adapters/http/guide/pages.ts";
import { additionTo, operations } from "../src/adapters/http/operations/index.ts";
import { petstoreCommand } from "../src/commands/petstore.ts";
import { toJson } from "../src/domain/json.ts";
import { readConfig, variables } from "../src/wiring/config.ts";
import { administrationStatuses, publicStatuses } from "./support/codes.ts";
import { checkAgainstDocument } from "./support/document.ts";
import { eventually } from "./support/eventually.ts";
import { cellsOf, codesIn, documents, partsOf, ROOT, read, states, withoutBlocks } from "./support/markdown.ts";
import { metricsAt } from "./support/metrics.ts";
import { temporaryDirectory } from "./support/temporary.ts";
import { useService } from "./support/use-service.ts";

/** The cells of each row of a document's tables whose first two cells match. */
function rowsOf(markdown: string, first: RegExp, second: RegExp): string[][] {
  return markdown
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map(cellsOf)
    .filter(([a = "", b = ""]) => first.test(a) && second.test(b));
}

const unquoted = (cell = "") => cell.replaceAll("`", "");

test("docs/errors.md has an entry for every code, under its status, with its cause and what to do, and no other", () => {
  states("docs/call-it.md", "Each code has its cause and its fix.");
  states("SECURITY.md", "Output | Errors have a closed list of codes");
  states("docs/errors.md", "`code` | string | One of the codes on this page. There are no others.");
  const listed = read("docs/errors.md")
    .split(/^## (?=\d{3} )/m)
    .slice(1)
    .flatMap((part) =>
      [...part.matchAll(/^### `([a-z_]+)`\n\n\*\*Cause:\*\* .{5,}\n(?:.+\n)*\n\*\*Fix:\*\* .{5,}$/gm)].map(
        ([, code = ""]): [string, number] => [code, Number(part.slice(0, 3))],
      ),
    );
  expect(Object.fromEntries(listed)).toEqual(publicStatuses);
  expect(listed).toHaveLength(Object.keys(publicStatuses).length);
  states("docs/interface.md", "The list of error codes is closed.");
});

test("the chart of docs/performance.md shows the figures of its tables", () => {
  expect(readFileSync(CHART, "utf8")).toBe(chartOf(ratesIn(readFileSync(PAGE, "utf8"))));
});

test("the chart of docs/scaling.md shows the figures of its tables", () => {
  expect(readFileSync(GROWTH_CHART, "utf8")).toBe(growthChartOf(tablesIn(readFileSync(GROWTH_PAGE, "utf8"))));
});

test("docs/interface.md lists every operation with its method, path and scope, and no other", () => {
  const rows = rowsOf(read("docs/interface.md"), /^\[\w+\]\(/, /^`[A-Z]+ \//);
  const listed = rows.map(([name = "", ...cells]) => [/\[(\w+)\]/.exec(name)?.[1], ...cells]);
  const expected = operations.map(({ id, method, path, scope, deprecated }) => {
    const remark = deprecated ? ", deprecated" : "";
    return [id, `\`${method.toUpperCase()} ${path}\`${remark}`, scope === undefined ? "none" : `\`${scope}\``];
  });
  expect(listed.sort()).toEqual(expected.sort());
  const [one, two, three, ...more] = operations
    .filter(({ id }) => additionTo({ id }) === undefined)
    .map(({ id }) => id);
  expect(more).toEqual([]);
  states("docs/interface.md", `All but ${one}, ${two} and ${three} are additions to version 1.0.0.`);
});

test("docs/README.md lists every document in its folder and below, once", () => {
  const others = documents.filter((path) => path.startsWith("docs/") && path !== "docs/README.md");
  const listed = [...read("docs/README.md").matchAll(/^- \[.*?\]\((.*?)\): ./gm)].map(([, target = ""]) => target);
  const within = listed.filter((target) => !target.startsWith("../"));
  expect(within.map((target) => join("docs", target)).sort()).toEqual(others.sort());
});

test("docs/administration.md has every error code of its listener with its status, its cause and what to do, and no other", () => {
  states("docs/administration.md", "This listener returns these codes and no others.");
  const rows = rowsOf(read("docs/administration.md"), /^\d{3}$/, /^`[a-z_]+`$/);
  const listed = rows.map(([status, code]): [string, number] => [unquoted(code), Number(status)]);
  expect(Object.fromEntries(listed)).toEqual(administrationStatuses);
  expect(listed).toHaveLength(Object.keys(administrationStatuses).length);
  for (const [, , cause = "", remedy = ""] of rows) expect(Math.min(cause.length, remedy.length)).toBeGreaterThan(5);
});

/** Variables of others: the engine of the tests (test/support/service.ts), the key of the client, the Compose files' hosts. */
const OF_OTHERS = [
  "PETSTORE_TEST_STORE",
  "PETSTORE_TEST_REDIS",
  "PETSTORE_API_KEY",
  "PETSTORE_LOG",
  "PETSTORE_HOST",
  "PETSTORE_STAGING_HOST",
];

describe("the configuration", () => {
  const names = variables.map(({ name }) => name);

  test("in docs/settings.md has each variable with its default and its text, in this order", () => {
    const rows = rowsOf(read("docs/settings.md"), /^`[A-Z][A-Z0-9_]+`$/, /./);
    const expected = variables.map(({ name, default: value, text = "" }) => [
      `\`${name}\``,
      value === "" ? "none" : `\`${value}\``,
      text,
    ]);
    expect(rows).toEqual(expected);
  });

  test("in .env.example reach the service as its head says", () => {
    const [head = ""] = read(".env.example").split("\n\n");
    const commands = [...head.matchAll(/^# {3}(.*)/gm)].map(([, command = ""]) => command);
    const directory = temporaryDirectory();
    writeFileSync(join(directory, ".env.example"), `${read(".env.example")}\nPETSTORE_KEYS_DAYS=77\n`);
    const script = commands.join("\n").replace("npm start", "env");
    const { stdout } = spawnSync("sh", ["-c", script], {
      cwd: directory,
      encoding: "utf8",
      env: { PATH: process.env.PATH },
    });
    expect(stdout.split("\n")).toContain("PETSTORE_KEYS_DAYS=77");
  });

  test("in .env.example has each variable with its default and its text, in this order", () => {
    states("docs/settings.md", ".env.example lists all of them with their defaults.");
    const [, ...entries] = read(".env.example").trimEnd().split("\n\n");
    const expected = variables.map(({ name, default: value, isDerived, text = "" }) => {
      const [comment, assigned] = isDerived ? [`${text} Default: ${value}.`, ""] : [text, value];
      return `${commented(plain(comment))}\n${name}=${assigned}`;
    });
    expect(entries).toEqual(expected);
  });

  test("is the same where every variable is set to its default as where none is set", () => {
    const byDefault = Object.fromEntries(variables.map(({ name, default: value }) => [name, value]));
    // But for where the settings are from.
    const { settings: given, ...config } = readConfig(byDefault);
    const { settings, ...expected } = readConfig({});
    expect(config).toEqual(expected);
    expect(given.map(({ name }) => name)).toEqual(settings.map(({ name }) => name));
  });

  test.each(documents)("is called by its names in %s", (path) => {
    const named = [...read(path).matchAll(/\bPETSTORE_[A-Z0-9_]+/g)].map(([name]) => name);
    expect(named.filter((name) => ![...names, ...OF_OTHERS].includes(name))).toEqual([]);
  });
});

/** Markdown without its marks. */
function plain(markdown: string): string {
  return markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("`", "");
}

/** A text as comment lines of at most 120 characters. */
function commented(text: string): string {
  return text.replace(/(.{1,118})( |$)/g, "# $1\n").trimEnd();
}

describe("every link within the project leads somewhere:", () => {
  const anchorsIn = (path: string) =>
    [...readFileSync(path, "utf8").matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchorOf(heading));

  test.each(documents)("%s", (path) => {
    const targets = [...read(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
    const broken = targets
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [file = "", anchor] = target.split("#");
        const found = file === "" ? join(ROOT, path) : resolve(ROOT, dirname(path), file);
        return !existsSync(found) || (anchor !== undefined && !anchorsIn(found).includes(anchor));
      });
    expect(broken).toEqual([]);
  });
});

/** Texts of links that say what to do, or where it is. */
const POINTERS = [
  ...[
    "you have it already",
    "a drawing",
    "newest first",
    "operations",
    "lists it",
    "once",
    "`*` or `\\*`",
    "waiting",
    "below",
  ],
  "application/vnd.sqlite3",
];

describe("every link to a part of a page has a word that is there:", () => {
  /** The part below the heading of this anchor, with the parts in it. */
  function partOf(path: string, anchor: string): string {
    const text = readFileSync(path, "utf8");
    const headings = [...text.matchAll(/^(#+) (.*)$/gm)];
    const at = headings.findIndex(([, , heading = ""]) => anchorOf(heading) === anchor);
    const next = headings.slice(at + 1).find(([, level = ""]) => level.length <= (headings[at]?.[1]?.length ?? 0));
    return text.slice(headings[at]?.index, next?.index);
  }
  const stems = (words: string) =>
    (words.match(/[A-Za-z0-9]{2,}/g) ?? [])
      .map((word) => word.toLowerCase().slice(0, 5))
      .filter((stem) => !/^(the|and|this|all|what|you|your|are|not|to|of|is|it|in|an?)$/.test(stem));

  test.each(documents.filter((path) => !path.startsWith("docs/development") && path !== "CHANGELOG.md"))(
    "%s",
    (path) => {
      const text = withoutBlocks(read(path));
      const links = [...text.matchAll(/\[([^\]]+)\]\(([\w./-]*)#([\w-]+)\)/g)];
      const elsewhere = links.filter(([, shown = "", file = "", anchor = ""]) => {
        const target = file === "" ? join(ROOT, path) : resolve(ROOT, dirname(path), file);
        const there = new Set(stems(`${file} ${partOf(target, anchor)}`));
        return !POINTERS.includes(shown.toLowerCase()) && !stems(shown).some((stem) => there.has(stem));
      });
      expect(elsewhere.map(([link]) => link)).toEqual([]);
    },
  );
});

test.each(documents)("%s says of a picture what its file is called: the page, the device and the colours", (path) => {
  const pictures = [...read(path).matchAll(/!\[([^\]]+)\]\((images\/[\w-]+)\.png\)/g)];
  const strange = pictures.filter(([, text = "", file = ""]) => {
    const words = (part: string) => part.toLowerCase().match(/[a-z]{3,}/g) ?? [];
    const [shown, named] = [words(text), words(file)];
    const devices = ["desktop", "phone", "light", "dark"];
    const of = (list: string[]) => devices.filter((device) => list.includes(device)).join();
    const page = named.filter((word) => !["images", "console", ...devices].includes(word));
    const isOfPage = page.some((word) => shown.some((one) => one.slice(0, 4) === word.slice(0, 4)));
    // A month is one of 30 days.
    return of(shown) !== of(named) || !(isOfPage || (page.includes("month") && text.includes("30 days")));
  });
  expect(strange.map(([picture]) => picture)).toEqual([]);
  for (const [, summary = "", inside = ""] of read(path).matchAll(/<summary>(.*?)<\/summary>([\s\S]*?)<\/details>/g)) {
    const titles = [...inside.matchAll(/!\[(.*?), (?:desktop|phone), /g)].map(([, title = ""]) => title);
    expect(new Set(titles)).toEqual(new Set([summary.replace(/, in the dark and on a phone$/, "")]));
  }
});

/** Texts of links that have a word of another page's name too. */
const OF_ANOTHER = [
  "First start",
  "the interface",
  "interface's",
  "OpenAPI document",
  "what has changed",
  "endpoints that get events or alerts",
  "events are kept",
];

test.each(documents)("%s calls a file that it links to by its name", (path) => {
  const links = [
    ...read(path).matchAll(/\[`?([\w/-]*\.?[\w-]+\.(?:ts|py|go|sh|ya?ml|json|service|sql|md))`?\]\(([^)#]+)\)/g),
  ];
  const elsewhere = links.filter(([, shown = "", target = ""]) => !`/${target}`.endsWith(`/${shown}`));
  expect(elsewhere.map(([link]) => link)).toEqual([]);
});

describe("a link to a page has a word of its name, where another page has one:", () => {
  const beginnings = (words: string) =>
    (words.match(/[A-Za-z]{3,}/g) ?? [])
      .map((word) => word.toLowerCase().slice(0, 5))
      .filter((word) => !/^(the|and|what|your|with|docs|readm)$/.test(word));
  const nameOf = (path: string) => {
    const [, title = ""] = path.endsWith(".md") ? (/^# (.*)$/m.exec(read(path)) ?? []) : [];
    return beginnings(`${path.replace(/\.\w+$/, "")} ${title}`);
  };
  const names = new Map(documents.map((path) => [path, nameOf(path)]));

  test.each(documents.filter((path) => path !== "CHANGELOG.md"))("%s", (path) => {
    const links = [...withoutBlocks(read(path)).matchAll(/(?<!!)\[([^\]`]+)\]\(([\w./-]+)\)/g)];
    const elsewhere = links.filter(([, shown = "", file = ""]) => {
      const target = join(dirname(path), file);
      const words = beginnings(shown);
      const isNamed = (name: readonly string[]) => words.some((word) => name.includes(word));
      return (
        !OF_ANOTHER.includes(shown) &&
        !isNamed(names.get(target) ?? nameOf(target)) &&
        [...names.values()].some(isNamed)
      );
    });
    expect(elsewhere.map(([link]) => link)).toEqual([]);
  });
});

const petstore = await petstoreCommand();

test("docs/commands.md lists every command with its subcommands, and no other", () => {
  const listed = rowsOf(read("docs/commands.md"), /^`petstore /, /./).map(([names = ""]) => {
    const [first = "", ...others] = codesIn(names);
    const [, noun, ...rest] = first.split(" ");
    return [noun, [rest.join(" "), ...others].filter((name) => name !== "").sort()];
  });
  const leaves = (command: Command): string[] =>
    command.commands.flatMap((one) => [
      ...(one.commands.length === 0 || one.registeredArguments.length > 0 ? [one.name()] : []),
      ...leaves(one).map((name) => `${one.name()} ${name}`),
    ]);
  const expected = petstore.commands.map((command) => [
    command.name(),
    [...leaves(command), ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? [])].sort(),
  ]);
  expect(listed).toEqual(expected);
});

/** The beginnings of the words of a text, so that "lists" is "list". */
/** The beginnings of words that say something: of numbers, of negations, and of the longer ones. */
const stemsOf = (text: string) =>
  (text.match(/[A-Za-z]{4,}|\b\d\w*|\b(?:all|any|no|none|not|one)\b/g) ?? []).map((word) =>
    word.toLowerCase().slice(0, 4),
  );
/** A text without its code, and without the targets of its links. */
const prose = (text: string) => text.replaceAll(/\]\([^)]*\)/g, "").replaceAll(/`[^`]*`/g, "");

/** Words of the page about commands that stand for others in their help, or say nothing of what they do. */
const WORDS_OF_COMMANDS = stemsOf(
  "runs running same manages maintains replaces their your them ones hours says also from place settings start machine",
);

test("docs/commands.md says of each command what its help says", async () => {
  const textOf = ({
    description,
    options,
    registeredArguments,
    commands,
  }: Pick<Command, "options" | "registeredArguments" | "commands"> & { description: string }): string =>
    [
      description,
      ...options.map(({ flags, description: text }) => `${flags} ${text}`),
      ...registeredArguments.map(({ description: text }) => text),
      ...commands.map((one) => `${one.name()} ${textOf({ ...one, description: one.description() })}`),
    ].join(" ");
  for (const [names = "", meaning = ""] of rowsOf(read("docs/commands.md"), /^`petstore /, /./)) {
    const [, noun = ""] = codesIn(names)[0]?.split(" ") ?? [];
    const command = (await petstoreCommand(noun)).commands.find((one) => one.name() === noun);
    if (command === undefined) throw new Error(`there is no petstore ${noun}`);
    const known = [
      ...stemsOf(`${noun} ${textOf({ ...command, description: command.description() })}`),
      ...WORDS_OF_COMMANDS,
    ];
    expect([noun, stemsOf(prose(meaning)).filter((stem) => !known.includes(stem))]).toEqual([noun, []]);
  }
});

/** Words of the page about metrics that their help does not have. */
const WORDS_OF_METRICS: Record<string, string> = {
  petstore_http_requests_total: "that were answered call agent counts operation alone",
  petstore_plan_requests_total: "without valid 429",
  petstore_bans_total: "that began",
  petstore_simulated_requests_total: "error code",
  petstore_key_cache_total: "from memory",
  petstore_store_errors_total: "that",
  petstore_limiter_fallbacks_total: "began with",
  petstore_database_damaged: "SQLite",
  petstore_backup_interval_seconds: "SQLite",
  petstore_backup_last_success_timestamp_seconds: "written checked copied bucket there one",
  petstore_clock_difference_seconds: "node with SQLite alone 0",
  petstore_webhooks: "last attempt failed operator disabled service",
  petstore_database_size_bytes: "with",
  petstore_store_statistics_timestamp_seconds: "database five gauges above",
  petstore_background_task_runs_total: "with schedule",
  petstore_workers: "otherwise",
  petstore_workers_lost_total: "with",
  petstore_build_info: "what runs",
  process_open_fds: "Linux",
};

const REDOCLY = join(ROOT, ".ci/tools/node_modules/.bin/redocly");
const hasRedocly = existsSync(REDOCLY);
if (!hasRedocly) console.log("skipped: the OpenAPI documents are not linted, without `npm install --prefix .ci/tools`");

describe("beside a running service", () => {
  const service = useService();

  test("the documents name every operation, parameter, status and header of the OpenAPI document", async () => {
    const text = documents.map(read).join();
    const { paths } = JSON.parse(await (await fetch(`${service.url}/openapi.json`)).text()) as Document;
    const named: string[] = [];
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { operationId, parameters = [], responses }] of Object.entries(methods)) {
        named.push(`${method.toUpperCase()} ${path}`, operationId, ...parameters.map(({ name }) => name));
        for (const [status, { headers }] of Object.entries(responses)) named.push(status, ...Object.keys(headers));
      }
    }
    expect(named.length).toBeGreaterThan(100);
    expect([...new Set(named)].filter((name) => !text.includes(name))).toEqual([]);
  });

  test("the documents write the headers and the attributes of cookies as the service sends them", async () => {
    const client = await service.withKey();
    const pet = { name: "Rex", categoryId: 1 };
    const key = { "Idempotency-Key": "headers" };
    const { operator, token } = await service.withOperator("admin");
    expect(operator.role).toBe("admin");
    const session = await fetch(`${service.adminUrl}/admin/v1/session`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "Sec-Fetch-Site": "same-origin" },
      body: JSON.stringify({ token }),
    });
    const listed = (await client.get("/v1/pets", { Prefer: "handling=strict", Connection: "close" })).headers;
    const created = (await client.post("/v1/pets", pet, key)).headers;
    const repeated = (await client.post("/v1/pets", pet, key)).headers;
    const attributes = (session.headers.get("Set-Cookie") ?? "").split("; ").slice(1);
    const sent = [listed, created, repeated, session.headers].flatMap((headers) =>
      [...headers].map(([name, value]) => `${name.toLowerCase()}: ${value}`),
    );
    const ofResponses =
      /^(Cache-Control|Connection|Vary|X-Content-Type-Options|Preference-Applied|Idempotency-Replayed): /;
    for (const path of documents.filter((name) => !name.startsWith("docs/development"))) {
      const codes = codesIn(withoutBlocks(read(path)));
      const headers = codes.filter((code) => ofResponses.test(code));
      const unsent = headers.filter((code) => !sent.includes(code.replace(/^[^:]+/, (name) => name.toLowerCase())));
      expect([path, unsent]).toEqual([path, []]);
      for (const code of codes.filter((one) => /^HttpOnly; SameSite=Strict/.test(one)))
        expect(code.split("; ").toSorted()).toEqual(
          attributes.filter((one) => !/^Max-Age|^Secure/.test(one)).toSorted(),
        );
    }
  });

  test("docs/interface.md says which responses may be kept", async () => {
    const [, kept, never] =
      /Each successful read .*?`Cache-Control: ([^`]+)`[\s\S]*?Each other response[\s\S]*?`Cache-Control: ([^`]+)`/.exec(
        read("docs/interface.md"),
      ) ?? [];
    const client = await service.withKey();
    const caching = async (answer: Promise<{ headers: Headers }>) => (await answer).headers.get("Cache-Control");
    expect(await caching(client.get("/v1/pets"))).toBe(String(kept));
    expect(await caching(client.get("/v1/nowhere"))).toBe(String(never));
    expect(await caching(client.post("/v1/pets", { name: "Rex", categoryId: 1 }))).toBe(String(never));
  });

  test("docs/monitoring.md has each metric with its type and its labels", async () => {
    await (await service.withKey()).get("/v1/pets");
    const { samples, types, text } = await metricsAt(service.adminUrl);
    const rows = rowsOf(read("docs/monitoring.md"), /^`(petstore|process)_/, /^(counter|gauge|histogram)$/);
    const stated = rows.flatMap(([names = "", type = "", labels = ""]) =>
      codesIn(names).map((name) => ({ name, type, labels: codesIn(labels) })),
    );
    for (const { name, type, labels } of stated) {
      if (types.has(name)) expect([name, types.get(name)]).toEqual([name, type]);
      const [sample] = samples.filter((one) => one.name.replace(/_count$/, "") === name || one.name === name);
      if (sample !== undefined) expect([name, Object.keys(sample.labels)]).toEqual([name, labels]);
    }
    for (const [cell = "", , , meaning = ""] of rows) {
      const [name = ""] = codesIn(cell);
      const [, help = ""] = new RegExp(`^# HELP ${name} (.*)$`, "m").exec(text) ?? [];
      const known = stemsOf(`${help} ${name.replaceAll("_", " ")} ${WORDS_OF_METRICS[name] ?? ""}`);
      expect([name, stemsOf(prose(meaning)).filter((stem) => !known.includes(stem))]).toEqual([name, []]);
    }
    const names = stated.map(({ name }) => name);
    expect([...types.keys()].filter((name) => !names.includes(name))).toEqual([]);
    expect(names.filter((name) => !types.has(name))).toEqual([]);
  });

  test("the documents and the OpenAPI documents say in which order each list is", async () => {
    const { id, secret } = await service.createKey();
    const [client, later] = [service.withSecret(secret), await service.withKey()];
    const { client: operator } = await service.withOperator("admin");
    const before = async (path: string) => (await operator.get(`/admin/v1${path}`)).body;
    const oldKeys = (await before("/keys")).total;
    const paths = ["/v1/pets", "/v1/categories", "/v1/store/orders"];
    for (const name of ["One", "Two"]) {
      await service.advance({ seconds: 1 });
      const { body: pet } = await client.post("/v1/pets", { name, categoryId: 1 });
      await client.post("/v1/categories", { name });
      await client.post("/v1/store/orders", { petId: pet.id });
      await operator.post("/admin/v1/keys", { name, plan: "free" });
      await operator.post("/admin/v1/webhooks", { url: `https://${name}.invalid`, types: ["pet.created"] });
    }
    for (const caller of [client, later, later]) {
      await service.advance({ seconds: 1 });
      await caller.get("/v1/pets/1");
    }
    expect((await before("/keys")).total).toBe(oldKeys + 2);

    const first = (values: number[]) => (Number(values[0]) < Number(values.at(-1)) ? "ascending" : "descending");
    const byId = (items: { id: number }[]) => first(items.map(({ id }) => Number(id)));
    const byTime = (items: { at: string }[]) => first(items.map(({ at }) => Date.parse(at)));
    const byName = (names: string[]) =>
      first(names.filter((one) => /^(https:\/\/)?(one|two)/i.test(one)).map((one) => (/one/i.test(one) ? 1 : 2)));
    const observed: Record<string, string> = {
      listEvents: byId((await client.get("/v1/events")).body),
      "GET /keys": byName((await before("/keys")).keys.map(({ name }: { name: string }) => name)),
      "GET /webhooks": byName((await before("/webhooks")).webhooks.map(({ url }: { url: string }) => url)),
      "GET /events": byId((await before("/events")).events),
      "GET /audit": byTime((await before("/audit")).entries),
      "GET /pets": byId((await before("/pets")).pets),
      "GET /categories": byId((await before("/categories")).categories),
      "GET /orders": byId((await before("/orders")).orders),
    };
    for (const [at, path] of paths.entries())
      observed[`list${["Pets", "Categories", "Orders"][at]}`] = byId((await client.get(path)).body);
    await eventually(async () => (await before(`/requests?key=${id}`)).requests.length > 3);
    observed.listOwnRequests = byTime((await client.get("/v1/key/requests")).body);
    await eventually(async () => (await before("/requests")).requests.length > 3);
    observed["GET /requests"] = byTime((await before("/requests")).requests);
    const called = async () => (await before("/deprecations/callers?sort=calls")).callers as { calls: number }[];
    await eventually(async () => (await called()).some(({ calls }) => calls === 2));
    observed["GET /deprecations/callers"] = first((await called()).map(({ calls }) => calls));

    const ASCENDING = /\bascending|oldest first|\bby id\b(?! or)/;
    const DESCENDING = /descending|newest first|most recent first/;
    const said = (text: string) => {
      const byDefault = text.replaceAll(/(,? unless|;? with|or with) `order=desc`( the newest first)?/g, "");
      return DESCENDING.test(byDefault) ? "descending" : ASCENDING.test(byDefault) ? "ascending" : "not said";
    };
    const documented = async (url: string): Promise<[name: string, text: string][]> => {
      const { paths: all } = JSON.parse(await textAt(url)) as Document;
      return Object.entries(all).flatMap(([path, { get }]) =>
        get === undefined
          ? []
          : [[get.operationId, get.description ?? ""] as [string, string], [`GET ${path}`, get.description ?? ""]],
      );
    };
    const ofClients = await documented(`${service.url}/openapi.json`);
    const ofOperators = await documented(`${service.adminUrl}/admin/openapi.json`);
    const onPages = documents
      .filter((path) => path.startsWith("docs/"))
      .flatMap((path) => [...read(path).matchAll(/, called (list\w+), returns [^.]*\./g)])
      .map(([text, name = ""]): [string, string] => [name, text]);
    const rows = rowsOf(read("docs/administration.md"), /^`GET/, /./).map(
      ([call = "", text = ""]): [string, string] => [`GET ${/\/admin\/v1(\/[^?`]*)/.exec(call)?.[1]}`, text],
    );
    const stated = [
      ...ofClients.filter(([name]) => name.startsWith("list")),
      ...ofOperators.filter(([name]) => name.startsWith("GET")),
      ...onPages,
      ...rows,
    ].filter(
      ([name, text]) =>
        Object.hasOwn(observed, name) && (!rows.some(([, row]) => row === text) || said(text) !== "not said"),
    );
    expect(stated.length).toBeGreaterThan(20);
    expect(stated.map(([name, text]) => [name, text, said(text)])).toEqual(
      stated.map(([name, text]) => [name, text, observed[name] ?? ""]),
    );
  });

  test("an error that an operation does not list is noticed, with any status", async () => {
    const { status, headers } = await service.withKey().then((client) => client.get("/v1/pets?limit=0"));
    const check = (code: string) => {
      const body = { code, message: "Something is wrong.", status };
      return checkAgainstDocument(service.url, "GET", "/v1/pets", {
        status,
        headers,
        body,
        text: JSON.stringify(body),
      });
    };
    await check("invalid_parameter");
    expect(check("invalid_json")).rejects.toThrow("invalid_json is not listed");
  });

  test("docs/administration.md names every path and query parameter of its document", async () => {
    const text = read("docs/administration.md");
    const { paths } = (await (await fetch(`${service.adminUrl}/admin/openapi.json`)).json()) as Document;
    const named = Object.entries(paths).flatMap(([path, methods]) => [
      `/admin/v1${path}`,
      ...Object.values(methods).flatMap(({ parameters = [] }) => parameters.map(({ name }) => name)),
    ]);
    expect(named.length).toBeGreaterThan(30);
    expect([...new Set(named)].filter((name) => !text.includes(name))).toEqual([]);
  });

  test.skipIf(!hasRedocly).each([
    ["the interface's", () => textAt(`${service.url}/openapi.json`)],
    ["the administration interface's", () => textAt(`${service.adminUrl}/admin/openapi.json`)],
    ["staging's", async () => toJson(openApiDocument(readConfig({}).baseUrls, "staging"))],
  ])("%s OpenAPI document passes its linter", async (_, text) => {
    const file = join(service.store.directory, "openapi.json");
    writeFileSync(file, await text());
    const { status, stdout, stderr } = spawnSync(REDOCLY, ["lint", "--format=json", file], {
      cwd: ROOT,
      encoding: "utf8",
      env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    });
    expect(JSON.parse(stdout || `{"failed": ${JSON.stringify(stderr)}}`)).toMatchObject({ problems: [] });
    expect(status).toBe(0);
  });
});

async function textAt(url: string): Promise<string> {
  return (await fetch(url)).text();
}

type Operation = {
  operationId: string;
  description?: string;
  parameters?: { name: string }[];
  responses: Record<string, { headers: Record<string, unknown> }>;
};
type Document = { paths: Record<string, Record<string, Operation>> };

describe("the table of promises in docs/reliability.md", () => {
  /** Pages about the programs of others, and with figures, are held by tests of their own. */
  const promising = documents.filter(
    (path) => /^(README|docs\/[^/]+)\.md$/.test(path) && !/generated-clients|retry-libraries|performance/.test(path),
  );
  const STRONG = /\b(exact(ly)?|never|always)\b|\b(no|none|nothing)\b[^.]*\b(lost|twice|dropped|doubled)\b/i;
  /** Sentences that ask the reader for something. */
  const INSTRUCTION = /^(- |\d+\. )?(Never|Read|Decide|Exactly one of)\b/;
  /** Sentences that promise nothing, by some of their words. */
  const OTHERS = [
    "a list of exactly one id",
    "by all authors with exactly this name",
    "a key that is never among them",
    "which the console always sends",
    "npx never downloads another package",
    "no object may contain a key twice",
    "openapi-python-client: it always sends",
    "found nothing; …",
    "for a key that is always active",
    "A code that the operation never has",
    "Exact limits over regions would",
    "What no running node has seen is lost",
    '"Nothing lost" is about acknowledged pets',
    'promises with words such as "exact"',
    // What was measured.
    "181,369 acknowledged",
    "1,829 changes acknowledged",
    "3,062 states of the disk",
    "none of 200 clients",
  ];
  const plain = (text: string) =>
    text
      .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replaceAll(/\*\*|`/g, "")
      .replaceAll(/\s+/g, " ")
      .trim();
  const textOf = (path: string) => plain(read(path).replace(/^## Promises and their tests$[\s\S]*/m, "")).toLowerCase();
  const rows = rowsOf(read("docs/reliability.md"), /^"/, /^\[/).map(([promise = "", pages = "", tests = ""]) => ({
    words: [...plain(promise).matchAll(/"([^"]+)"/g)].map(([, words = ""]) => words.toLowerCase()),
    pages: [...pages.matchAll(/\]\(([^)]+)\)/g)].map(([, target = ""]) => join("docs", target)),
    tests: [...tests.matchAll(/`([^`]+)`: "([^"]+)"/g)].map(([, file = "", name = ""]) => ({ file, name })),
  }));

  test.each(rows.map((row) => [row.words.join(", "), row] as const))("%s", (_, { words, pages, tests }) => {
    expect(tests.length).toBeGreaterThan(0);
    for (const { file, name } of tests) {
      const names = read(file)
        .split("\n")
        .filter((line) => line.includes(name) && /(\b(test|describe)\b.*|^\s+|^\s*\]\)\()["'`]/.test(line));
      expect([file, name, names.length > 0]).toEqual([file, name, true]);
    }
    for (const page of pages)
      expect([page, words.filter((each) => textOf(page).includes(each))]).not.toEqual([page, []]);
    expect(words.filter((each) => !pages.some((page) => textOf(page).includes(each)))).toEqual([]);
  });

  test.each(promising)("has every promise of %s", (path) => {
    const text = withoutBlocks(read(path).replace(/^## Promises and their tests$[\s\S]*/m, ""));
    const sentences = partsOf(text)
      .flatMap((block) => plain(block).split(/(?<=[.!?|])\s+/))
      .filter((sentence) => STRONG.test(sentence) && !INSTRUCTION.test(sentence));
    const promises = rows.filter(({ pages }) => pages.includes(path)).flatMap(({ words }) => words);
    const isCovered = (sentence: string) =>
      promises.some((words) => sentence.toLowerCase().includes(words)) ||
      OTHERS.some((words) => sentence.includes(words));
    expect(sentences.filter((sentence) => !isCovered(sentence))).toEqual([]);
  });
});
