import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { administrationDocument } from "../src/adapters/http/admin/document.ts";
import { clientAddress, parseRanges } from "../src/adapters/http/client-address.ts";
import { openApiDocument } from "../src/adapters/http/document.ts";
import { anchorOf } from "../src/adapters/http/guide/pages.ts";
import { type Malformation, malformedResponse } from "../src/adapters/http/malformed.ts";
import { operations } from "../src/adapters/http/operations/index.ts";
import { statusOf } from "../src/adapters/http/responses.ts";
import { Metrics } from "../src/adapters/prometheus/metrics.ts";
import { kinds } from "../src/adapters/sql/retention.ts";
import { petstoreCommand } from "../src/commands/petstore.ts";
import type { AlertType } from "../src/domain/alerts.ts";
import { type ErrorCode, errorCatalogue } from "../src/domain/errors.ts";
import { toJson } from "../src/domain/json.ts";
import { defaultScopes, scopes } from "../src/domain/keys/key.ts";
import { checksumOf, formOf } from "../src/domain/keys/secret.ts";
import { limitsOf, plans } from "../src/domain/limits/limits.ts";
import { identityOf } from "../src/domain/operators.ts";
import { readSimulation } from "../src/domain/simulation.ts";
import { orderTransitions, petTransitions } from "../src/domain/transitions.ts";
import { deliveryOf, type Endpoint } from "../src/domain/webhooks.ts";
import { NEEDED_NODE } from "../src/testing/needed-runtime.ts";
import { readConfig, variables } from "../src/wiring/config.ts";
import { codesIn, pages as documents, ROOT, read, tableOf } from "./support/markdown.ts";

const filesIn = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${folder}/${name}`);

/** A value as it stands in a table: one word, with or without the signs of code. */
const valueIn = (cell: string) => /^`?([\w./-]+)`?$/.exec(cell)?.[1];
const production = readConfig({});
const staging = readConfig({ PETSTORE_DEPLOYMENT: "staging" });

test.each(documents)("%s has no row twice in a table, and no word twice in a list of words of code", (name) => {
  const twice: string[] = [];
  let before: string[] = [];
  for (const line of read(name).split("\n")) {
    const [first = "", ...others] = line.startsWith("|") ? line.split(/(?<!\\)\|/).slice(1, -1) : [];
    // Statuses have several codes.
    if (before.includes(first) && !/^ \d{3} $/.test(first)) twice.push(first);
    before = line.startsWith("|") ? [...before, first] : [];
    for (const [list] of [first, ...others].join("|").matchAll(/`[^`]+`(?:, `[^`]+`)*(?:,? (?:and|or) `[^`]+`)?/g)) {
      const words = codesIn(list);
      if (new Set(words).size < words.length) twice.push(list);
    }
  }
  expect(twice).toEqual([]);
});

test.each(documents)("%s puts before an error code no status of another code", (name) => {
  const statuses = new Map(
    (Object.keys(errorCatalogue) as ErrorCode[]).map((code): [string, number] => [code, statusOf(code)]),
  );
  // What is no request is 408 or 505, which no code has.
  const known = new Set(statuses.values());
  const wrong = [...read(name).matchAll(/(?<!, )\b([1-5]\d\d)(?: \| Error,)? \[?`([a-z_]+)`/g)].filter(
    ([, status, code = ""]) => known.has(Number(status)) && (statuses.get(code) ?? Number(status)) !== Number(status),
  );
  expect(wrong.map(([text]) => text)).toEqual([]);
});

test.each(documents)("%s speaks of statuses that the service has", (name) => {
  const statuses = (Object.keys(errorCatalogue) as ErrorCode[]).map(statusOf);
  // Of what is no request, of another host's name at a proxy, and of a connection that was cut.
  const others = [405, 408, 421, 444, 501, 505];
  const named = read(name).matchAll(/(?:\b(?:an?|gets?|after|is|status)\s`?|JSON)([45]\d\d)\b/g);
  const wrong = [...named].filter(([, status]) => ![...statuses, ...others].includes(Number(status)));
  expect(wrong.map(([text]) => text)).toEqual([]);
});

test("a table of settings names settings, and each address in the documents is one of this or an example", () => {
  const names = [...variables.map(({ name }) => name), "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"];
  const { port, admin } = production;
  // Grafana, Prometheus, a collector, and the proxy of an example.
  const ports = [port, admin?.port, staging.port, staging.admin?.port, 3000, 9090, 4318, 5000].map(String);
  for (const name of documents) {
    const text = read(name);
    for (const [setting = ""] of [...tableOf(text, "Setting"), ...tableOf(text, "Variable")]) {
      expect(codesIn(setting).filter((code) => !names.includes(code))).toEqual([]);
    }
    const addresses = [...text.matchAll(/\b(\d+)\.\d+\.\d+\.\d+(?::(\d+))?\b/g)];
    const others = addresses.filter(
      ([address, first = "", at]) =>
        !/^(0|10|127\.0\.0\.1|192|198|203)\b/.test(address) ||
        (first === "127" && at !== undefined && !ports.includes(at)),
    );
    expect(others.map(([address]) => address)).toEqual([]);
    for (const [tunnel, local, remote] of text.matchAll(/-L (\d+):127\.0\.0\.1:(\d+)/g))
      expect([tunnel, local]).toEqual([tunnel, remote]);
    // The version in a path is the contract's, but of Entra ID and in the name of a module of Go.
    const versions = [...text.matchAll(/(?<!TENANT|oapi-codegen)\/v(\d+)\b/g)].map(([version]) => version);
    expect([name, ...new Set(versions)]).toEqual([name, ...(versions.length > 0 ? ["/v1"] : [])]);
  }
});

test("a setting has the same default on each page", () => {
  const defaultIn = (rows: string[][]) =>
    rows.map(([setting = "", value = ""]) => [codesIn(setting)[0], valueIn(value)] as const);
  const all = new Map(defaultIn(tableOf(read("docs/settings.md"), "Variable", "Default")));
  const others = documents.flatMap((name) => defaultIn(tableOf(read(name), "Setting", "Default")));
  expect(others.length).toBeGreaterThan(3);
  for (const [setting, value] of others)
    if (value !== undefined && all.get(setting) !== undefined)
      expect([setting, value]).toEqual([setting, all.get(setting)]);
});

test("docs/data.md has beside what is deleted the setting whose text names it", () => {
  const rows = tableOf(read("docs/data.md"), "What is deleted", "Setting");
  const settings = rows.map(([, setting = ""]) => codesIn(setting)[0]);
  expect(new Set(settings)).toEqual(new Set(["PETSTORE_ORDERS_DAYS", "PETSTORE_KEYS_DAYS", "PETSTORE_AUDIT_DAYS"]));
  for (const [what = "", setting = ""] of rows) {
    const [noun = ""] = /audit log|^\w+?(?=s\b)/.exec(what) ?? [];
    const naming = variables.filter(({ name, text }) => /_DAYS$/.test(name) && text?.includes(noun));
    expect([what, ...naming.map(({ name }) => name)]).toEqual([what, codesIn(setting)[0] ?? ""]);
  }
});

test("docs/authentication.md has the form of a key: from its parts, an example becomes one", () => {
  const parts = new Map(
    tableOf(read("docs/authentication.md"), "Part", "Value").map(([part = "", value = ""]) => [part, value]),
  );
  const [live = "", staged = ""] = codesIn(parts.get("Prefix") ?? "");
  const separator = codesIn(parts.get("Separator") ?? "")[0] ?? "";
  const [, length] = /^(\d+) random characters/.exec(parts.get("Secret") ?? "") ?? [];
  const [, digits, rule] =
    /^(\d+) characters: the CRC-32 of everything before it, the separator (\w+),/.exec(parts.get("Checksum") ?? "") ??
    [];
  for (const [prefix, deployment] of [
    [live, "production"],
    [staged, "staging"],
  ] as const) {
    const secret = prefix + "aZ09".repeat(Number(length) / 4);
    const checksum = checksumOf(rule === "included" ? secret + separator : secret);
    expect(checksum).toHaveLength(Number(digits));
    expect(formOf(secret + separator + checksum, deployment)).toBe("genuine");
  }
});

/** The objects in a value, and in what it contains. */
function objectsIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.values(value).flatMap(objectsIn);
  return Array.isArray(value) ? inside : [{ ...value }, ...inside];
}

/** Pairs of times of which the first is not after the second. */
const IN_ORDER = [
  ["createdAt", "updatedAt"],
  ["createdAt", "lastUsedAt"],
  ["createdAt", "expiresAt"],
  ["raisedAt", "acknowledgedAt"],
  ["raisedAt", "endedAt"],
  ["from", "to"],
] as const;

/** Whether the next backup is not an interval of the schedule after the last one, or a restored file is not beside the database. */
function isOtherSchedule({ everySeconds, nextAt, backups, directory, restored }: Record<string, unknown>): boolean {
  if (!Array.isArray(backups) || typeof everySeconds !== "number") return false;
  const last = Math.max(...backups.map(({ createdAt }) => Date.parse(createdAt)));
  const { name, path } = Object(restored);
  return (
    Date.parse(String(nextAt)) !== last + everySeconds * 1_000 ||
    path !== join(dirname(String(directory)), `restored-${name}`)
  );
}

/**
 * What of an example contradicts itself: what is left of a window, the parts of a sum, the order of times, and the schedule of
 * backups.
 */
function contradictionsIn(example: unknown): object[] {
  const sum = (counts: unknown) =>
    Object.values(counts ?? {}).reduce((total: number, count) => total + Number(count), 0);
  return objectsIn(example).filter(
    ({ limit, used, remaining, requests, byClass, byOperation, minute, day, ...others }) => {
      const time = (name: string) => Date.parse(String(others[name]));
      if (IN_ORDER.some(([first, second]) => time(first) > time(second)) || isOtherSchedule(others)) return true;
      // One request opened both windows, unless the one of a minute is another one of this day.
      const [soon, late] = [minute, day].map((one) => Date.parse(Object(one).resetAt));
      if (soon !== undefined && late !== undefined && Number(Object(minute).used) === Number(Object(day).used))
        if (late - soon !== 86_400_000 - 60_000) return true;
      const isWindow = typeof used === "number" && typeof limit === "number";
      if (isWindow && remaining !== limit - used) return true;
      return [byClass, byOperation].some((counts) => counts !== undefined && sum(counts) !== requests);
    },
  );
}

test.each(documents)("no example in JSON in %s contradicts itself", (name) => {
  for (const [, text = ""] of read(name).matchAll(/^```json\n([\s\S]*?)^```$/gm))
    expect(contradictionsIn(JSON.parse(text))).toEqual([]);
});

test("no example in the OpenAPI documents contradicts itself", () => {
  const all = [openApiDocument(production.baseUrls), administrationDocument("production")].map((one) =>
    JSON.parse(toJson(one)),
  );
  const examples = objectsIn(all).flatMap(({ example, examples }) => [example, examples]);
  expect(examples.flatMap(contradictionsIn)).toEqual([]);
});

test("docs/running.md has the defaults of the options of petstore demo", async () => {
  const demo = (await petstoreCommand("demo")).commands.find((command) => command.name() === "demo");
  const rows = tableOf(read("docs/running.md"), "Option", "Default");
  const stated = rows.map(([option = "", value = ""]) => [codesIn(option)[0], valueIn(value)]);
  const options = demo?.options.filter(({ defaultValue }) => defaultValue !== undefined) ?? [];
  expect(options.map(({ long }) => long)).toContainAllValues(["--pets", "--seed"]);
  for (const { long, defaultValue } of options) expect(stated).toContainEqual([long, String(defaultValue)]);
});

test("the OpenAPI documents say which statuses may follow each other", () => {
  const { available, pending, sold } = petTransitions;
  const either = (statuses: readonly string[]) => statuses.join(" or ");
  expect(openApiDocument(production.baseUrls).paths?.["/pets/{petId}"]?.patch?.description).toContain(
    `An available pet can become ${either(available)}, a pending one ${either(pending)}, a sold one ${either(sold)}.`,
  );
  const { placed, approved, ...final } = orderTransitions;
  expect([placed.toSorted(), approved.toSorted(), final]).toEqual([
    ["approved", "cancelled"],
    ["cancelled", "delivered"],
    { delivered: [], cancelled: [] },
  ]);
  const ofClients = openApiDocument(production.baseUrls).paths?.["/store/orders/{orderId}"]?.patch?.description;
  expect(ofClients).toContain("a placed order can become approved, an approved one delivered, and both cancelled.");
  expect(ofClients).toContain("it is sold when its order is delivered, and available when it is cancelled.");
  const ofOperators = administrationDocument("production").paths?.["/orders/{orderId}"]?.patch?.description;
  expect(ofOperators).toContain(
    "A placed order can be approved, an approved one delivered, and both can be cancelled.",
  );
  expect(ofOperators).toContain("A delivered order makes its pet sold, a cancelled one available.");
});

test("docs/errors.md has the answers to what is not valid HTTP, and to a request with a wrong body or method", () => {
  const malformed = (malformation: Malformation) => {
    const { status, body } = malformedResponse(malformation);
    return `${status} \`${JSON.parse(String(body)).code}\``;
  };
  const refused = (code: ErrorCode) => `${statusOf(code)} \`${code}\``;
  const expected: [what: RegExp, answer: string][] = [
    [/^malformed request line or headers/, malformed("syntax")],
    [/^another version of HTTP/, malformed("version")],
    [/^request line and headers over/, malformed("headers")],
    [/^request line and headers that take/, malformed("timeout")],
    [/^unknown method/, refused("method_not_allowed")],
    [/^body that is malformed, incomplete/, refused("invalid_json")],
    [/^file that is imported or uploaded/, refused("validation_failed")],
    [/^body over .* that the operation does not take/, refused("invalid_parameter")],
    [/^trailer fields/, "ignored"],
  ];
  const tables = read("docs/errors.md")
    .split(/^(?=\| What arrives )/m)
    .slice(1);
  const rows = tables.flatMap((text) => tableOf(text, "What arrives", "Answer"));
  expect(rows).toHaveLength(expected.length);
  for (const [at, [what, answer]] of expected.entries()) {
    expect(rows[at]?.[0]).toMatch(what);
    expect(rows[at]?.[1]).toStartWith(answer);
  }
});

test("docs/limits.md has the limits of each plan", () => {
  const rows = tableOf(read("docs/limits.md"), "Plan", "Requests per minute", "Requests per day");
  expect(rows).toEqual(
    plans.map((plan) => {
      const name = plan.replace(/^./, (letter) => letter.toUpperCase());
      if (plan === "enterprise") return [name, "set for the key", "set for the key"];
      const { perMinute, perDay } = limitsOf[plan];
      return [name, perMinute.toLocaleString("en"), perDay.toLocaleString("en")];
    }),
  );
});

test("docs/changing-pets.md and docs/orders.md have the statuses that may follow each other, and what becomes of the pet", () => {
  const pets = tableOf(read("docs/changing-pets.md"), "From", "To").map(([from = "", to = ""]) => [
    codesIn(from)[0],
    codesIn(to),
  ]);
  expect(Object.fromEntries(pets)).toEqual(petTransitions);
  const found: Record<string, string[]> = { placed: [], approved: [], delivered: [], cancelled: [] };
  const rows = tableOf(read("docs/orders.md"), "From", "To", "The pet becomes");
  for (const [from = "", to = ""] of rows) for (const status of codesIn(from)) found[status]?.push(...codesIn(to));
  const sorted = (statuses: readonly string[]) => statuses.toSorted();
  const bySource = Object.entries(orderTransitions).map(([from, to]): [string, string[]] => [from, sorted(to)]);
  expect(Object.entries(found).map(([from, to]): [string, string[]] => [from, sorted(to)])).toEqual(bySource);
  expect(Object.fromEntries(rows.map(([, to = "", pet = ""]) => [codesIn(to)[0], codesIn(pet)[0] ?? null]))).toEqual({
    approved: null,
    cancelled: "available",
    delivered: "sold",
  });
});

test("docs/data.md has what each retention deletes, and since when it is old", () => {
  const names: Record<string, string> = {
    audit: "entries of the audit log",
    orders: "orders",
    keys: "keys",
    secrets: "secrets",
    deprecated_calls: "callers of deprecated operations",
  };
  const moments: Record<string, string> = {
    at: "they were made",
    updated_at: "their last change",
    revoked_at: "they were revoked",
    expires_at: "the end of their grace period",
    last_called_at: "their last call",
  };
  const rows = tableOf(read("docs/data.md"), "What is deleted", "Setting", "Old since");
  const stated = rows.map(([what = "", setting = "", since = ""]) => [
    Object.values(names).find((name) => what.startsWith(name)),
    codesIn(setting)[0],
    since,
  ]);
  const bySource = Object.entries(kinds).flatMap(([kind, all]) =>
    all.map(({ table, ended }) => [names[table], `PETSTORE_${kind.toUpperCase()}_DAYS`, moments[ended]].join(" | ")),
  );
  expect(stated.map((row) => row.join(" | ")).toSorted()).toEqual([...new Set(bySource)].toSorted());
});

test("docs/settings.md has the ports of both deployments", () => {
  const text = read("docs/settings.md");
  for (const deployment of ["production", "staging"]) {
    const { port, admin } = readConfig({ PETSTORE_DEPLOYMENT: deployment });
    for (const value of [port, admin?.port])
      expect([deployment, value, text.includes(`${value}`)]).toEqual([deployment, value, true]);
  }
});

const document = openApiDocument(production.baseUrls);
const stagingText = toJson(openApiDocument(production.baseUrls, "staging"));

test.each(documents)("%s has each path with the port that answers it, and no unknown header of the service", (name) => {
  const text = read(name);
  const of = (listener: { production: unknown; staging: unknown }) =>
    [listener.production, listener.staging].map(String);
  const ports = {
    public: of({ production: production.port, staging: staging.port }),
    admin: of({ production: production.admin?.port, staging: staging.admin?.port }),
  };
  for (const [address, port = "", path = ""] of text.matchAll(/127\.0\.0\.1:(\d+)\/(\w+)/g)) {
    const expected = /^(console|admin|metrics)$/.test(path)
      ? ports.admin
      : /^(v1|docs|openapi|mcp|account)$/.test(path)
        ? ports.public
        : undefined;
    if (expected !== undefined) expect([address, expected.includes(port)]).toEqual([address, true]);
  }
  // What is for operators is not published to other machines.
  for (const [published, from, port = ""] of text.matchAll(/--publish (?:([\d.]+):)?\d+:(\d+)/g)) {
    if (ports.admin.includes(port)) expect([published, from]).toEqual([published, "127.0.0.1"]);
  }
  for (const [forwarded, port = ""] of text.matchAll(/port-forward [^\n`]*?\b(\d{4,5})\b/g))
    expect([forwarded, ports.admin.includes(port)]).toEqual([forwarded, true]);
  const own = text.match(/(?<=`)(X-R|RateLimit(?!Error)|Petstore-|Idempotency-)[A-Za-z-]*(?=[`:])/g) ?? [];
  expect(own.filter((header) => !stagingText.includes(`"${header}"`))).toEqual([]);
});

describe("docs/monitoring.md has", () => {
  const operations = read("docs/monitoring.md");
  const sources = filesIn("src").map(read);

  test("the messages of the log, with their levels", () => {
    const rows = tableOf(operations, "`msg`", "Level", "When").slice(0, -1);
    expect(rows.length).toBeGreaterThan(20);
    for (const [messages = "", levels = ""] of rows) {
      for (const message of codesIn(messages)) {
        const [longest = ""] = message
          .split(/…|\d+ s|^(?:Redis|The parent process)(?= fails| works)|(?<=: )set PETSTORE_BASE_URL/)
          .toSorted((a, b) => b.length - a.length);
        const text = new RegExp(`${longest === message ? `(?<=["'\`])` : ""}${RegExp.escape(longest.trim())}`, "g");
        const before = sources.flatMap((source) =>
          [...source.matchAll(text)].map(({ index }) => source.slice(0, index)),
        );
        expect([message, before.length > 0]).toEqual([message, true]);
        const calls = before.flatMap((code) => /[\s\S]*\b(warn|error|info)\(/.exec(code.slice(-300))?.[1] ?? []);
        if (calls.length > 0) expect([message, calls.some((call) => levels.includes(call))]).toEqual([message, true]);
      }
    }
  });

  test("the background tasks, at the metric and at the message", () => {
    const tasks = sources.flatMap((source) =>
      [...source.matchAll(/\bname: "([a-z_]+)",\s*(?:saves: "[^"]*",\s*)?every\b/g)].map(([, name = ""]) => name),
    );
    const ofMetric =
      tableOf(operations, "Metric", "Type")
        .find(([metric]) => metric?.includes("task_runs"))
        ?.at(-1) ?? "";
    expect(codesIn(ofMetric).toSorted()).toEqual(tasks.toSorted());
    const ofMessage = operations.split("\n").find((line) => line.startsWith("| `a background task failed")) ?? "";
    const stated = codesIn(ofMessage).filter((code) => /^[a-z]+_[a-z_]+$/.test(code));
    // A backup that fails is logged by itself.
    expect([...stated, "back_up"].toSorted()).toEqual(tasks.toSorted());
  });
});

test("docs/monitoring.md says what becomes of the metrics of several processes", async () => {
  const stats = { cpu: () => ({ user: 2, system: 1 }), memory: () => 1_000, startedAt: 7 };
  const metrics = new Metrics({ version: "1.0.0", runtime: "test", deployment: "production" }, stats);
  metrics.add({
    keyCache: { hits: 0, misses: 0 },
    fallbacks: { total: 0, requests: 0, isActive: false },
    damage: { isDamaged: false },
    clocks: { seconds: 0 },
    mayEvict: () => false,
  });
  const aggregators = new Map((await metrics.snapshot()).map(({ name, aggregator }) => [name, String(aggregator)]));
  const all = (prefix: RegExp) => [...aggregators].filter(([name]) => prefix.test(name)).map(([, one]) => one);
  expect(all(/^process_(cpu|resident|open|max)/).filter((one) => one !== "sum")).toEqual([]);
  const ages: Record<string, string> = { min: "oldest", max: "newest" };
  const workers: Record<string, string> = { min: "all workers count", max: "any worker counts" };
  const [text = ""] = /^\*\*Several processes\.\*\*[\s\S]*?\n\n/m.exec(read("docs/monitoring.md")) ?? [];
  expect(text.replaceAll(/\s+/g, " ")).toInclude(
    `Processor time, memory and file descriptors are sums; \`process_start_time_seconds\` is that of the ${
      ages[aggregators.get("process_start_time_seconds") ?? ""]
    } worker; \`petstore_limiter_fallback_active\` is 1 if ${
      workers[aggregators.get("petstore_limiter_fallback_active") ?? ""]
    } alone.`,
  );
});

/** Words for groups of paths: the first parts of paths of the administration interface. */
const groups = (text: string) => text.split(/,? and |, /).map((one) => one.replace(/^the /, ""));

test("the documents and the OpenAPI document of the administration interface say what a viewer may not read", () => {
  const { paths = {}, info } = administrationDocument("production");
  const withheld = Object.entries(paths)
    .filter(([, methods]) => Object(methods).get?.description?.includes("Needs the role admin."))
    .map(([path]) => path.split("/")[1] ?? "");
  const expected = [...new Set(withheld)].toSorted();
  const [, inDocument = ""] = /can read everything except\s+([^;]*);/.exec(info.description ?? "") ?? [];
  expect(groups(inDocument).toSorted()).toEqual(expected);
  const [, row = ""] = tableOf(read("docs/administration.md"), "Role", "May").find(([role]) => role === "viewer") ?? [];
  expect(groups(/^Read everything except (.*)\.$/.exec(row)?.[1] ?? "").toSorted()).toEqual(expected);
  const [, inConsole = ""] = /A viewer \(.*?\) reads all of it except ([^,]*),/.exec(read("docs/console.md")) ?? [];
  expect(groups(inConsole).toSorted()).toEqual(expected);
});

test("docs/idempotency.md names every operation that takes an Idempotency-Key", () => {
  const [, listed = ""] = /Send each `POST` \(([^)]*)\)/.exec(read("docs/idempotency.md")) ?? [];
  const posts = operations.filter(({ method }) => method === "post").map(({ id }) => id);
  expect(listed.split(", ").toSorted()).toEqual(posts.toSorted());
});

test("docs/rehearsal.md says which values of Petstore-Simulate go with each other", () => {
  const values = ["quota_exceeded", "delay=1", "disconnect", "lost-answer", "now=2030-12-05T00:00:00Z"];
  const name = (value: string) => value.replace(/=.*/, "");
  const [, one = "", other = "", another = ""] =
    /`(\w+)` goes with each of the others, and `([\w-]+)` with `(\w+)`:/.exec(read("docs/rehearsal.md")) ?? [];
  for (const [at, first] of values.entries()) {
    for (const second of values.slice(at + 1)) {
      const pair = [name(first), name(second)];
      const isSaid = pair.includes(one) || (pair.includes(other) && pair.includes(another));
      expect([...pair, !("problem" in readSimulation(`${first}, ${second}`))]).toEqual([...pair, isSaid]);
    }
  }
});

test("docs/testing.md has each sample for tests, in the folder of what runs them", () => {
  const rows = tableOf(read("docs/testing.md"), "Tests", "Project");
  const folders = rows.map(([, project = ""]) => codesIn(project)[0] ?? "");
  expect(folders.toSorted()).toEqual(
    readdirSync(join(ROOT, "samples/testing"))
      .map((name) => `samples/testing/${name}`)
      .toSorted(),
  );
  const simple = (text: string) => text.toLowerCase().replaceAll(/[^a-z]/g, "");
  for (const [tests = "", project = ""] of rows)
    expect(simple(tests)).toStartWith(simple(project.split("/").at(-1) ?? ""));
});

test.each([
  ["docs/mirror.md", "Program", "samples/mirror"],
  ["docs/webhooks.md", "Receiver", "samples/webhooks"],
])("%s has each program to begin with, with its language and what it needs", (page, column, folder) => {
  const rows = tableOf(read(page), "Language", column);
  const endings: Record<string, string> = { TypeScript: ".ts", Python: ".py", Go: ".go", Shell: ".sh" };
  const files = rows.map(([language = "", program = ""]) => {
    const [, name = "", target = ""] = /^\[(.+)\]\(\.\.\/(.+)\)$/.exec(program) ?? [];
    expect([target, name.slice(name.indexOf("."))]).toEqual([`${folder}/${name}`, endings[language] ?? "?"]);
    return name;
  });
  expect(files.toSorted()).toEqual(readdirSync(join(ROOT, folder)).toSorted());
  for (const [at, name] of files.entries()) {
    const text = read(`${folder}/${name}`);
    if (page === "docs/mirror.md")
      expect([name, rows[at]?.[2]]).toEqual([name, /sqlite/i.test(text) ? "SQLite" : "a JSON file"]);
    const needs = rows[at]?.at(-1) ?? "";
    if (needs.endsWith(" alone")) {
      expect(needs).toBe(`${rows[at]?.[0]} alone`);
      // Modules of others have a host in their name in Go, and are not in this list in Python.
      const modules = [...text.matchAll(/^(?:import|from) ([a-z_]+)|^\t"([\w./-]+)"$/gm)].map(
        ([, one, other]) => one ?? other ?? "",
      );
      expect(modules.length).toBeGreaterThan(3);
      expect(
        modules.filter((module) => /\./.test(module) || /^(requests|httpx|aiohttp|flask|petstore)/.test(module)),
      ).toEqual([]);
    } else {
      for (const program of codesIn(needs).filter((code) => /^(@petstore|[a-z]+$)/.test(code)))
        expect(text).toContain(program);
    }
  }
});

describe("docs/generated-clients.md", () => {
  const text = read("docs/generated-clients.md");
  const parts = text.split(/^(?=## )/m);
  const rows = tableOf(text, "Generator", "Language", "An error's code");

  test("has each generator that it shows, in its order", () => {
    const targets = rows.map(([generator = ""]) => /\(#([\w-]+)\)/.exec(generator)?.[1]);
    const shown = parts
      .map((part) => anchorOf(/^## (.*)/.exec(part)?.[1] ?? ""))
      .filter((anchor) => / |-with-/.test(anchor));
    expect(targets).toEqual(shown);
  });

  test.each(rows)(
    "%s, %s: the version, the language and the code of an error are those of its section",
    (generator = "", language = "", code = "") => {
      const [, name = "", target = "", version = ""] = /^\[([\w-]+)\]\(#([\w-]+)\) ([\d.]+)$/.exec(generator) ?? [];
      const section = parts.find((part) => anchorOf(/^## (.*)/.exec(part)?.[1] ?? "") === target) ?? "";
      const [word = ""] = language.split(" ");
      expect(section).toStartWith(`## ${word} with ${name}\n`);
      expect(section).toMatch(new RegExp(`${name}[\\w/-]*(==|@v)${RegExp.escape(version)}\\s`));
      const [, program = ""] = new RegExp(`^\`\`\`${word.toLowerCase()}\\n(.*?)^\`\`\`$`, "ms").exec(section) ?? [];
      const [expression] = codesIn(code);
      if (expression === undefined)
        expect(program).toMatch(/(readValue|json_decode|JSON\.parse|serde_json::from_str)\(.*(body|content)/i);
      else expect(program.replace(/refusal := (\S+);(.*)refusal\.Code/s, "$2$1.Code")).toContain(expression);
      // A program that catches nothing looks at what is returned.
      const isRaised = /^\s*(except|rescue) |\bcatch \(/m.test(program);
      if (word === "Python") expect(/An error is returned and not raised/.test(section)).toBe(!isRaised);
    },
  );
});

/** What goes wrong for a client, by what provokes it. */
const PROVOKED: Record<string, RegExp> = {
  rate_limit_exceeded: /minute's requests are used up/,
  quota_exceeded: /day's requests are used up/,
  key_banned: /key is banned/,
  service_unavailable: /overloaded or restarts/,
  internal_error: /service fails/,
  disconnect: /breaks before the work/,
  "lost-answer": /lost after the work/,
  "delay=30000": /answer is late/,
  revoked_api_key: /revoked or disabled/,
  disabled_api_key: /revoked or disabled/,
  precondition_failed: /changed the pet/,
  pet_not_available: /got the pet/,
};

test("docs/testing.md provokes what goes wrong with what does that", () => {
  const rows = tableOf(read("docs/testing.md"), "What can go wrong", "Provoke it with");
  const named = rows.flatMap(([what = "", how = ""]) =>
    [...how.matchAll(/fail\.next\("([^"]+)"/g)].map(([, value = ""]) => [value, what] as const),
  );
  expect(named.map(([value]) => value).toSorted()).toEqual(Object.keys(PROVOKED).toSorted());
  for (const [value, what] of named) {
    expect(what).toMatch(PROVOKED[value] ?? /never/);
    expect([value, "problem" in readSimulation(value)]).toEqual([value, false]);
  }
  const { perMinute } = limitsOf.free;
  expect(rows[0]?.[1]).toEndWith(`a key with \`plan: "free"\` and ${perMinute + 1} requests`);
});

test("docs/upgrading.md has symptoms that the service shows: its messages, and codes with their causes", () => {
  const sources = filesIn("src").map(read);
  const symptoms = tableOf(read("docs/upgrading.md"), "Symptom", "Cause", "Fix").map(([symptom = ""]) => symptom);
  const messages = symptoms.flatMap(codesIn).filter((code) => code.includes(" ") && !/^canceling statement/.test(code));
  expect(messages.length).toBeGreaterThan(12);
  const missing = messages.filter((message) => {
    const parts = message
      .split(/…|production|staging|\d+ s\b|^Redis /)
      .map((part) => part.trim())
      .filter((part) => part.length > 3);
    return !parts.every((part) => sources.some((source) => source.includes(part)));
  });
  expect(missing).toEqual([]);
});

test("docs/webhooks.md says how a signature is written", () => {
  const [, version = "", encoding = "", hash = ""] =
    /each `(\w+),` and the (\w+)(?: digits)? of an HMAC-(\w+)\./.exec(read("docs/webhooks.md")) ?? [];
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const endpoint = { id: "whe_1", secrets: [{ secret }] } as unknown as Endpoint;
  const event = { id: 1, at: 0, type: "pet.created", subject: "pets/1", text: "{}" } as const;
  const { headers, body } = deliveryOf(endpoint, event, 1_795_000_000_000);
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const mac = createHmac(hash.replace("SHA", "sha"), Buffer.from(secret.slice(6), "base64")).update(signed);
  expect(headers["webhook-signature"]).toBe(`${version},${mac.digest(encoding as "base64")}`);
});

test("docs/monitoring.md has each type of alert with its subjects", () => {
  const subjects: Record<AlertType, string[]> = {
    "alert.key_banned": ["keys/key_…"],
    "alert.backup_failed": ["backups"],
    "alert.file_damaged": ["database", "backups/"],
    "alert.disk_full": ["disks/database", "disks/backups"],
    "alert.error_rate": ["requests"],
    "alert.webhook_disabled": ["webhooks/whe_…"],
  };
  const rows = tableOf(read("docs/monitoring.md"), "Type", "Subject", "Raised", "Ends");
  expect(rows.map(([type = "", subject = ""]) => [codesIn(type)[0], codesIn(subject)])).toEqual(
    Object.entries(subjects),
  );
});

test("the pages name only parameters that an address has", () => {
  const parametersOf = (paths: object, prefix: string) =>
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(Object(methods)).map(([method, its]): [string, string[]] => [
        `${method.toUpperCase()} ${prefix}${path}`,
        (Object(its).parameters ?? []).map(({ name }: { name: string }) => name),
      ]),
    );
  const known = new Map([
    ...parametersOf(document.paths ?? {}, ""),
    ...parametersOf(administrationDocument("staging").paths ?? {}, "/admin/v1"),
  ]);
  for (const page of documents) {
    for (const [target, method = "", path = "", query = ""] of read(page).matchAll(
      /(?<=`)([A-Z]+) (\/[\w/{}-]+)\?([^`\s]*)(?=`)/g,
    )) {
      const given = [...query.matchAll(/(?:^|&)(\w+)=/g)].map(([, one = ""]) => one);
      expect([target, given.filter((one) => !known.get(`${method} ${path}`)?.includes(one))]).toEqual([target, []]);
    }
  }
});

test("workflows in the documents take a Node that the package runs on", () => {
  const versions = documents.flatMap((page) =>
    [...read(page).matchAll(/node-version: (\d+)/g)].map(([, at]) => Number(at)),
  );
  expect(versions.length).toBeGreaterThan(0);
  for (const version of versions) expect(version).toBeGreaterThan(Number.parseInt(NEEDED_NODE, 10));
});

test("docs/authentication.md has the scopes that a key gets by default", () => {
  const [, without = ""] = /Default: all but `([^`]+)`\./.exec(read("docs/authentication.md")) ?? [];
  expect(defaultScopes).toEqual(scopes.filter((scope) => scope !== without));
});

test("docs/orders.md says which statuses of an order are final", () => {
  const [, ...final] = /`(\w+)` and `(\w+)` are final\./.exec(read("docs/orders.md")) ?? [];
  const last = Object.entries(orderTransitions).filter(([, following]) => following.length === 0);
  expect(final.toSorted()).toEqual(last.map(([status]) => status).toSorted());
});

test("docs/running.md has the signals that stop the service, as its help has them", async () => {
  const serve = (await petstoreCommand("serve")).commands.find((command) => command.name() === "serve");
  const signals = (text = "") => (text.match(/SIG[A-Z]+/g) ?? []).toSorted();
  const [, stated] = /^On (SIG[^a-z]*or SIG[A-Z]+)/m.exec(read("docs/running.md")) ?? [];
  expect(signals(serve?.description()).length).toBeGreaterThan(1);
  expect(signals(stated)).toEqual(signals(serve?.description()));
});

test("docs/running.md says which address of X-Forwarded-For is the client's", () => {
  const forwarded = "203.0.113.1, 203.0.113.2, 10.0.0.2";
  const client = clientAddress("10.0.0.1", forwarded, parseRanges(["10.0.0.0/8"]));
  const which: Record<string, string> = { "203.0.113.1": "first", "203.0.113.2": "nearest", "10.0.0.2": "last" };
  expect(read("docs/running.md").replaceAll(/\s+/g, " ")).toInclude(
    `the client is the ${which[client]} address in the header that is not a trusted proxy`,
  );
});

test("docs/administration.md says what gives a role, and what both values give", () => {
  const rule = { claim: "roles", admins: ["a"], viewers: ["v"] };
  const roleOf = (roles: unknown) => identityOf({ iss: "https://login.example.com", sub: "1", roles }, rule).role;
  const page = read("docs/administration.md").replaceAll(/\s+/g, " ");
  expect(page).toInclude(`The values that make an ${roleOf("a")} or a ${roleOf("v")}, by default`);
  expect(page).toInclude(`Who has both is an ${roleOf(["v", "a"])}.`);
  expect(page).toInclude(
    `Values are compared ${(() => {
      try {
        return roleOf("A");
      } catch {
        return "letter by letter";
      }
    })()}.`,
  );
});
