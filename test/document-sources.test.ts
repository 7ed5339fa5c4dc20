/** Sentences and cells of documents that follow from a value, a schema or a file of the project. */
import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { escapeFormula } from "../src/adapters/files/csv-table.ts";
import { administrationDocument } from "../src/adapters/http/admin/document.ts";
import { openApiDocument } from "../src/adapters/http/document.ts";
import { statusOf } from "../src/adapters/http/responses.ts";
import { IDEMPOTENCY_KEY_LIFETIME } from "../src/domain/changes.ts";
import type { ErrorCode } from "../src/domain/errors.ts";
import { checksumOf } from "../src/domain/keys/secret.ts";
import { MAX_IDS, PAGE } from "../src/domain/pets.ts";
import { readConfig } from "../src/wiring/config.ts";
import {
  codesIn,
  documents,
  inOneLine,
  pageInOneLine,
  ROOT,
  read,
  says,
  states,
  tableOf,
  withoutBlocks,
} from "./support/markdown.ts";

const production = readConfig({});
const filesOf = (folder: string) => readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`);

test("README.md says where the service stores everything, and its licence", () => {
  const paths = production.settings.flatMap(({ value }) =>
    /\/[\w.-]+\/petstore\.db$|\/backups$/.test(value ?? "") ? [value] : [],
  );
  const places = new Set(
    paths.map(
      (path) =>
        path
          ?.replace(/^sqlite:/, "")
          .replace(`${ROOT.replace(/\/$/, "")}/`, "")
          .split("/")[0],
    ),
  );
  expect(paths).toHaveLength(2);
  states("README.md", `Everything that the service stores is below \`${[...places].join()}/\`.`);
  const { license, engines, scripts } = JSON.parse(read("package.json"));
  states("README.md", `licence: ${license}.`, `In a checkout, with Node ${engines.node.replace(">=", "")} or newer:`);
  states("CONTRIBUTING.md", `You need Node ${engines.node.replace(">=", "")} or newer with npm`);
  const [, command] = /petstore\.js (\w+)$/.exec(scripts.start) ?? [];
  states("docs/commands.md", `\`petstore ${command}\` | Runs the service; the same as \`npm start\`.`);
});

test("docs/authentication.md has the digits of a checksum, in their order", () => {
  const [, range = ""] = /in base 62 with the digits `([^`]+)`/.exec(pageInOneLine("docs/authentication.md")) ?? [];
  const digits = [...range.matchAll(/(.)-(.)/g)]
    .map(([, from = "", to = ""]) =>
      String.fromCharCode(
        ...Array.from({ length: to.charCodeAt(0) - from.charCodeAt(0) + 1 }, (_, at) => from.charCodeAt(0) + at),
      ),
    )
    .join("");
  expect(digits).toHaveLength(62);
  for (const text of ["pets_live_a_", "pets_stag_Zz9_", "pets_live_0123456789_"]) {
    let rest = Bun.hash.crc32(text);
    let expected = "";
    for (let at = 0; at < 6; at++, rest = Math.floor(rest / 62)) expected = digits.charAt(rest % 62) + expected;
    expect(checksumOf(text)).toBe(expected);
  }
});

test("docs/administration.md names what spreadsheets run as a formula", () => {
  const [, named = ""] =
    /a cell that begins with (.*?) as a formula/.exec(pageInOneLine("docs/administration.md")) ?? [];
  const signs = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at));
  expect(codesIn(named).toSorted()).toEqual(
    signs.filter((sign) => escapeFormula(`${sign}1`) !== `${sign}1`).toSorted(),
  );
  const behind = ["a,=1", "a;=1", "a\t=1", "a|=1", "a\n=1"].filter((text) => escapeFormula(text) === text);
  expect(behind).toEqual([]);
  states(
    "docs/administration.md",
    "It also has one behind each comma, semicolon, tab, `|` and line end where such a cell would begin",
  );
});

test("docs/data.md says why a retention leaves what an Idempotency-Key is answered with", () => {
  const shortest = ["PETSTORE_ORDERS_DAYS", "PETSTORE_KEYS_DAYS", "PETSTORE_AUDIT_DAYS"].flatMap((name) =>
    ["0", "0.5", "1"].filter((days) => {
      try {
        readConfig({ [name]: days });
        return days !== "0";
      } catch {
        return false;
      }
    }),
  );
  expect(shortest).toEqual(["1", "1", "1"]);
  const hours = IDEMPOTENCY_KEY_LIFETIME / 3_600_000;
  expect(hours).toBeLessThanOrEqual(24);
  states(
    "docs/data.md",
    `Every answer to an \`Idempotency-Key\` stays the same: these are kept for ${hours} hours, and a retention is at least one day.`,
  );
});

test("docs/data.md says what becomes of the space of deleted rows", () => {
  const sqlite = filesOf("src/adapters/sqlite").map(read).join("\n");
  // Without a vacuum SQLite uses free pages again, and keeps the size of its file.
  const size = /\bVACUUM\b(?! INTO)|auto_vacuum/.test(sqlite) ? "gets" : "does not get";
  states("docs/data.md", `PostgreSQL uses it again after a vacuum, SQLite at once; the file ${size} smaller.`);
});

test("docs/backups.md says what the access key may do, and by whom a backup is made", () => {
  const methods = new Set(
    [...read("src/adapters/s3/client.ts").matchAll(/method: "([A-Z]+)"/g)].map(([, method]) => method),
  );
  expect([...methods].toSorted()).toEqual(["DELETE", "GET", "HEAD", "POST", "PUT"]);
  states(
    "docs/backups.md",
    "An access key that may list the bucket, and get, put and delete the objects below the prefix.",
  );
  const priority = /priority\.PRIORITY_LOW\b/.test(read("src/commands/program.ts")) ? "lowest" : "same";
  states("docs/backups.md", `A process of its own makes the backup, with the ${priority} priority`);
});

describe("the calls in docs/administration.md", () => {
  const { paths = {} } = administrationDocument("staging");
  const rows = tableOf(read("docs/administration.md"), "Call", "Response").map(([call = "", response = ""]) => {
    const targets = codesIn(call).filter((code) => /^[A-Z]+( \/|$)/.test(code));
    const path = (code: string, at: number) =>
      code.split(" ")[1] ??
      targets
        .slice(at)
        .find((one) => one.includes(" "))
        ?.split(" ")[1] ??
      "";
    const calls = targets.map((code, at) => {
      const its = path(code, at).replace(/^\/admin\/v1|\?.*$/g, "");
      return Object(Object(paths[its])[code.split(" ")[0]?.toLowerCase() ?? ""]);
    });
    return { call, response: inOneLine(response), calls };
  });

  test("take an Idempotency-Key where they say so, and nowhere else", () => {
    const stated = rows.filter(({ response }) => response.includes("`Idempotency-Key`")).map(({ call }) => call);
    const taking = rows.filter(({ calls }) =>
      calls.some(({ parameters = [] }) => parameters.some(({ name }: { name: string }) => name === "Idempotency-Key")),
    );
    expect(stated).toEqual(taking.map(({ call }) => call));
    expect(stated).toHaveLength(1);
  });

  test("answer with what they name first", () => {
    const schemas: Record<string, RegExp> = {
      "the key": /^(Shown|Managed|Administered)?Key/,
      "the endpoint": /Webhook/,
      "the alert": /Alert/,
      "the category": /Category/,
      "the pet": /Pet/,
      "the order": /Order/,
    };
    const seen: string[] = [];
    for (const { response, calls } of rows) {
      const [first = ""] = /^(?:201, )?the \w+(?=[;, ]|$)/.exec(response) ?? [];
      const expected = schemas[first.replace("201, ", "")];
      const [call] = calls;
      if (expected === undefined || call === undefined) continue;
      const status = response.startsWith("201") ? "201" : "200";
      const ref = Object(call.responses?.[status]?.content?.["application/json"]?.schema).$ref ?? "";
      seen.push(first);
      expect([response, ref.replace(/.*\//, "")]).toEqual([response, expect.stringMatching(expected)]);
    }
    expect(seen.length).toBeGreaterThan(10);
  });
});

test("docs/deploy.md has the programs and the stores of the Compose files", () => {
  type Compose = { services: Record<string, { image?: string; environment?: Record<string, string> }> };
  const composed = (path: string) => Object.keys((parse(read(path)) as Compose).services);
  const [small, large] = [composed("deploy/compose.small.yaml"), composed("deploy/compose.yaml")];
  const rows = tableOf(read("docs/deploy.md"), "You have", "Take", "Store", "Stops for an upgrade");
  const rowOf = (what: string) => rows.find(([, take = ""]) => take.includes(what)) ?? [];
  expect(small.toSorted()).toEqual(["caddy", "petstore"]);
  expect(rowOf("small Compose file").slice(1)).toEqual([
    "[the small Compose file](#one-machine-with-docker): one node, Caddy with TLS",
    "SQLite",
    "a second",
  ]);
  const named = [
    ...rowOf("large Compose file")
      .slice(1, 3)
      .join(" ")
      .matchAll(/HAProxy|Prometheus|Grafana|PostgreSQL|Valkey|SQLite|Caddy/g),
  ];
  const others = large
    .filter((name) => !/^(production|staging)/.test(name))
    .map((name) => name.replace("postgres", "postgresql"));
  expect(named.map(([name]) => name.toLowerCase()).toSorted()).toEqual(
    others.filter((name) => named.some(([one]) => one.toLowerCase() === name)).toSorted(),
  );
  expect(named).toHaveLength(5);
  // One of several nodes is replaced after the other: HAProxy sends requests to the one that runs.
  const production_ = large.filter((name) => name.startsWith("production"));
  expect(rowOf("large Compose file").at(-1)).toBe(production_.length > 1 ? "no" : "a second");
  states(
    "docs/deploy.md",
    `then \`${production_.at(-1)}\`.`,
    "runs two nodes of production and one of staging, PostgreSQL, Valkey, HAProxy",
  );
  expect([production_.length, large.filter((name) => name.startsWith("staging")).length]).toEqual([2, 1]);
  expect(rowOf("executable as a unit").slice(2)).toEqual(["SQLite", "a second"]);
  expect(rowOf("Helm chart").slice(2)).toEqual([
    "PostgreSQL and Redis, or SQLite on a volume",
    "no, or a few seconds with SQLite",
  ]);
});

test("ARCHITECTURE.md has the checks of a request in their order, with their statuses", () => {
  const checks: [name: string, ...codes: ErrorCode[]][] = [
    ["authenticate", "missing_api_key"],
    ["consume", "rate_limit_exceeded"],
    ["simulationFor", "invalid_parameter"],
    ["requireOperation", "not_found", "method_not_allowed"],
    ["requireNotRemoved", "operation_removed"],
    ["requireScope", "insufficient_scope"],
  ];
  const text = read("ARCHITECTURE.md");
  const shown = [...text.matchAll(/(?:checks\.ts|│) {2,}([a-z]+(?:[A-Z]\w+)?) {3,}([\d, ]+\d)/g)].map(
    ([, name, statuses]) => [name, statuses],
  );
  expect(shown).toEqual(checks.map(([name, ...codes]) => [name, codes.map(statusOf).join(", ")]));
  const app = read("src/adapters/http/app.ts");
  const places = checks.map(([name]) => app.search(new RegExp(`[ (!]${name}\\(`)));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places[0]).toBeGreaterThan(0);
  const bodies: ErrorCode[] = ["payload_too_large", "unsupported_media_type", "invalid_json"];
  const own: ErrorCode[] = ["pet_not_found", "pet_not_available", "precondition_failed", "idempotency_key_reused"];
  expect(text).toMatch(new RegExp(`size, media type, JSON, parameters +${bodies.map(statusOf).join(", ")}\n`));
  expect(text).toMatch(new RegExp(`the operation's own +${own.map(statusOf).join(", ")}\n`));
});

test("CONTRIBUTING.md has the numbers of the programs of its table", () => {
  const text = pageInOneLine("CONTRIBUTING.md");
  const numberIn = (path: string, pattern: RegExp) =>
    Number(pattern.exec(read(path))?.[1]?.replaceAll("_", "")).toLocaleString("en");
  const minute =
    numberIn("test/support/eventually.ts", /PATIENCE = ([\d_]+);/) === "60,000" ? "a minute" : "another time";
  const WORDS: Record<string, string> = { "3": "three" };
  for (const statement of [
    `restart, ${numberIn("test/durability/crash.ts", /rounds: \{ type: "string", default: "(\d+)"/)} times, or as often`,
    `${numberIn("test/linearizability/run.ts", /operations: \{ type: "string", default: "(\d+)"/)} calls that create`,
    `\`npm run test:mutations:sample\`, ${WORDS[numberIn(".ci/mutations", /--minutes (\d+)/)]} minutes`,
    `whose one bound of ${minute} is for busy machines`,
    `Makes the npm package \`petstore-server-${JSON.parse(read("package.json")).version}.tgz\``,
  ])
    says(text, statement);
  const hook = read(".githooks/pre-commit");
  expect([/biome check/.test(hook), /npm run --silent types/.test(hook)]).toEqual([true, true]);
  states("CONTRIBUTING.md", "The hook runs lint and types before each commit;");
  // What `.ci/tools` installs.
  const { dependencies } = JSON.parse(read(".ci/tools/package.json"));
  expect(
    Object.keys(dependencies)
      .map((name) => name.replace(/^@\w+[-\w]*\//, ""))
      .filter((name) => !/deno|node|oidc|cli|kubectl|^s3rver$/.test(name)),
  ).toEqual([]);
  states(
    "CONTRIBUTING.md",
    "installs Node, Deno, Helm, kubectl, an OpenID provider and the linter of the OpenAPI document.",
  );
});

describe("docs/generated-clients.md says of a client what its commands and its program show", () => {
  const sections = read("docs/generated-clients.md")
    .split(/^(?=## )/m)
    .slice(1);
  test.each([
    ["Python with openapi-generator", "uses pydantic", /pydantic|ApiException/],
    [
      "Java with openapi-generator",
      "The library `native` is Java's own HTTP client",
      /library=native|--library native/,
    ],
    ["Java with openapi-generator", "positions that take `null`", /\(.*null.*\)/],
    ["Go with oapi-codegen", "Optional fields and parameters are pointers.", /= &|: &|\*\w+/],
    ["PHP with openapi-generator", "The client uses Guzzle.", /-g php /],
    ["Ruby with openapi-generator", "The client uses Typhoeus, which needs libcurl.", /typhoeus|Typhoeus|gem/],
    ["Ruby with openapi-generator", "Optional parameters are keywords.", /\w+: \w/],
    ["Rust with openapi-generator", "The client uses reqwest.", /-g rust /],
    ["Rust with openapi-generator", "Optional parameters are positions that take `None`", /None/],
    [
      "Rust with openapi-generator",
      "`default-features` are off because the address has no TLS",
      /default-features|no-default-features/,
    ],
  ])("%s: %s", (title, statement, shown) => {
    const section = sections.find((part) => part.startsWith(`## ${title}\n`)) ?? "";
    says(inOneLine(section), statement);
    expect([...section.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block).join("\n")).toMatch(
      shown,
    );
  });

  test("has the figures of the interface, and one version of Java", () => {
    const page = pageInOneLine("docs/generated-clients.md");
    const { schema } = Object(
      openApiDocument(production.baseUrls)
        .paths?.["/pets"]?.get?.parameters?.map(Object)
        .find(({ name }) => name === "limit"),
    );
    const most = MAX_IDS;
    says(
      page,
      `With more than ${PAGE.default} \`ids\`, pass \`limit=UNSET\` or \`limit=${most}\`: otherwise you get the first ${PAGE.default} of them`,
    );
    expect([Number(schema.default), Number(schema.maximum)]).toEqual([PAGE.default, most]);
    const java = [...page.matchAll(/Java (\d+) or newer/g)].map(([, version]) => version);
    expect([java.length > 1, new Set(java).size]).toEqual([true, 1]);
    says(page, "After a 429 or 503, wait for `Retry-After`");
    says(page, "urllib3 repeats a `GET`, `PUT` or `DELETE` up to three times after a 429 or 503");
    says(page, "Integers beyond 2^53 are exact. The next page begins after the last id: `after`.");
  });

  test("only one client has to be asked not to repeat, and each reads the key from a variable", () => {
    const asked = sections
      .filter((part) => /```python[\s\S]*retries=False[\s\S]*?```/.test(part))
      .map((part) => /## (.*)/.exec(part)?.[1]);
    expect(asked).toEqual(["Python with openapi-generator"]);
    states("docs/generated-clients.md", "Only openapi-generator's Python client waits and repeats by itself.");
    const programs = sections.filter((part) => /^```(python|java|go|php|ruby|rust)/m.test(part));
    expect(programs.length).toBeGreaterThan(5);
    for (const part of programs) expect(part).toMatch(/["'`({]KEY["'`)}]|ENV\[.KEY.\]|env::var\("KEY"\)/);
    states("docs/generated-clients.md", "They read the key from the variable `KEY`.");
  });
});

/** What lists say of a page in other words than the page. */
const OTHER_WORDS = ["where to begin as an operator", "how to send a key, and what its states mean"];

/** The beginnings of the longer words of a text. */
const stems = (text: string) =>
  (inOneLine(text).match(/[A-Za-z]{4,}/g) ?? [])
    .map((word) => word.toLowerCase().slice(0, 5))
    .filter(
      (stem) =>
        !/^(what|this|that|where|which|with|your|page|begin|from|read|their|them|when|have|into|than)$/.test(stem),
    );

test("each page is for whom docs/README.md says, and has the words that lists of pages have of it", () => {
  const readers = tableOf(read("docs/README.md"), "You want to", "Begin here");
  expect(readers.length).toBeGreaterThan(3);
  const firstOf = (cell: string) =>
    stems(/^This page .*?\n\n/ms.exec(read(join("docs", /\((.*?)\)/.exec(cell)?.[1] ?? "")))?.[0] ?? "");
  for (const [who = ""] of readers) {
    const common = readers.map(([, page = ""]) => new Set(firstOf(page)).intersection(new Set(stems(who))).size);
    const at = readers.findIndex(([one]) => one === who);
    expect([who, common.every((count, index) => index === at || count <= (common[at] ?? 0))]).toEqual([who, true]);
  }
  const strange: string[] = [];
  for (const list of documents.filter((path) =>
    /^docs\/(README|call-it|run-it|test-against-it|work-on-it)\.md$/.test(path),
  )) {
    for (const [line, , target = "", text = ""] of withoutBlocks(read(list)).matchAll(
      /^- \[([^\]]+)\]\(([\w./-]+\.md)\): (.+)$/gm,
    )) {
      const page = new Set(stems(read(join(dirname(list), target))));
      const missing = stems(text).filter((stem) => !page.has(stem));
      if (missing.length > stems(text).length / 2 && !OTHER_WORDS.includes(text)) strange.push(`${line}: ${missing}`);
    }
  }
  expect(strange).toEqual([]);
});
