import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { RequestBuffer } from "../../src/adapters/history/buffer.ts";
import { formatError } from "../../src/commands/output.ts";
import { petstoreCommand } from "../../src/commands/petstore.ts";
import { type ErrorCode, errorCatalogue, PetstoreError } from "../../src/domain/errors.ts";
import { SIMULATED, startOf, TOTAL } from "../../src/domain/usage/counting.ts";
import { ConfigError } from "../../src/wiring/config-schemas.ts";
import { requestOf } from "../adapters/history/requests.ts";
import { rowsOf, timeOf, useCommands } from "./in-process.ts";

/** What commands print for people, compared with what they print for programs. They run in this process, one after the other. */

const { directory, path, settings, saying, json, withStores } = useCommands();

test("a database is said to be created, up to date and intact, and where its backup is", async () => {
  const { to } = await json("database", "migrate", "--create");
  const database = `sqlite:${path}`;
  expect(await saying("database", "migrate")).toBe(`${database} is up to date: schema ${to}.\n`);
  const other = join(directory, "other.db");
  process.env.DATABASE_URL = `sqlite:${other}`;
  expect(await saying("database", "migrate")).toBe(`sqlite:${other} went from schema 0 to ${to}.\n`);
  Object.assign(process.env, settings);
  expect(await saying("database", "check")).toMatch(/^\S+ is intact \(\d\.\d s\)\.\n$/);
  expect(await saying("database", "check")).toStartWith(`${path} is intact (`);
  const began = performance.now();
  const checked = await json("database", "check");
  expect(checked).toMatchObject({ path, intact: true, problems: [], lost: null, damagedMark: null });
  expect(checked.seconds).toBeWithin(0, (performance.now() - began) / 1_000);
  expect(await saying("database", "backups", "list")).toBe(`There are no backups in ${join(directory, "backups")}.\n`);
});

test("a server is no file: its own tools check it, back it up and restore it", async () => {
  process.env.DATABASE_URL = "postgres://ada:secret@db.invalid/pets";
  for (const [words, tool] of [
    ["check", "Check it with pg_amcheck."],
    ["backup", "pg_dump makes a backup of it"],
    ["backup copy.db", "pg_dump makes a backup of it"],
    ["restore copy.db", "pg_restore restores it"],
    ["backups list", "pg_dump makes a backup of it"],
  ] as const) {
    const reason = await saying("database", ...words.split(" ")).then(String, (error: Error) => error.message);
    expect([words, reason]).toEqual([words, expect.stringContaining(`${tool}`)]);
    expect(reason).toStartWith("postgres://db.invalid/pets is a server, not a file. ");
  }
  Object.assign(process.env, settings);
});

test("each change of a key is said with what is true of the key then", async () => {
  const created = await saying("keys", "create", "--name", "My app", "--plan", "pro");
  const [{ id }] = await json("keys", "list");
  const limitsOf = async () => {
    const { limits } = await json("keys", "show", id);
    const minute = `${limits.perMinute.toLocaleString("en")} requests per minute`;
    return `${minute}, ${limits.perDay.toLocaleString("en")} per day`;
  };
  expect(created).toContain(`\n  This is key ${id}, "My app", on the pro plan:\n  ${await limitsOf()}.\n`);
  const custom = ["--per-minute", "5", "--per-day", "7000"];
  expect(await saying("keys", "set-plan", id, "enterprise", ...custom)).toBe(
    `Key ${id}, "My app", is on the enterprise plan now: 5 requests per minute, 7,000 per day.\n`,
  );
  expect(await limitsOf()).toBe("5 requests per minute, 7,000 per day");
  const free = await saying("keys", "set-plan", id, "--plan", "free");
  expect(free).toBe(`Key ${id}, "My app", is on the free plan now: ${await limitsOf()}.\n`);
  expect(await saying("keys", "rename", id, "Renamed")).toBe(`Key ${id} is named "Renamed" now.\n`);
  const scoped = await saying("keys", "set-scopes", id, "orders:read, pets:read");
  const { scopes } = await json("keys", "show", id);
  expect(scopes.toSorted()).toEqual(["orders:read", "pets:read"]);
  expect(scoped).toBe(`Key ${id}, "Renamed", has the scopes ${scopes.join(", ")} now.\n`);
  expect(await saying("keys", "disable", id)).toMatch(
    new RegExp(`^Key ${id}, "Renamed", is disabled\\. \`.* keys enable ${id}\` enables it again\\.\n$`),
  );
  await saying("keys", "set-note", id, "Contract 4711");
  await saying("keys", "rotate", id, "--grace", "1h");
  const shown = async () => {
    const details = await json("keys", "show", id);
    return { details, rows: rowsOf(await saying("keys", "show", id)) };
  };
  const disabled = await shown();
  expect(disabled.rows).toContainEqual(["disabled", timeOf(disabled.details.disabledAt)]);
  expect(disabled.rows).toContainEqual(["note", "Contract 4711"]);
  expect(disabled.rows).toContainEqual(["status", "disabled"]);
  const secrets = disabled.details.secrets.map((one: Record<string, string | null>) => [
    "secret",
    `…${one.lastFour}, created ${timeOf(one.createdAt)}${one.expiresAt === null ? "" : `, ends ${timeOf(one.expiresAt)}`}`,
  ]);
  expect(disabled.rows.filter(([name]) => name === "secret")).toEqual(secrets);
  expect(new Set(secrets.map(([, text]: string[]) => text?.includes(", ends "))).size).toBe(2);
  expect(await saying("keys", "enable", id)).toBe(`Key ${id}, "Renamed", is enabled.\n`);
  await saying("keys", "revoke", id);
  const revoked = await shown();
  expect(revoked.rows).toContainEqual(["revoked", timeOf(revoked.details.revokedAt)]);
  expect(revoked.rows).toContainEqual(["status", "revoked"]);
  expect(revoked.rows.some(([name]) => name === "disabled")).toBe(false);
});

test("what is created is said with its id, its name and what follows", async () => {
  const operator = await saying("operators", "create", "--name", "Ada", "--role", "viewer");
  const [{ id }] = await json("operators", "list");
  expect(operator).toMatch(new RegExp(`^\n {2}pets_oper_\\w+\n\n {2}This is the token of ${id}, "Ada", viewer\\.\n`));
  const url = "https://shop.example/hook";
  const endpoint = await saying("webhooks", "create", url, "--types", "pet.created", "--after", "0");
  const [webhook] = await json("webhooks", "list");
  expect(endpoint).toMatch(
    new RegExp(`^\n {2}whsec_\\S+\n\n {2}This is the secret of endpoint ${webhook.id}, ${url}\\.\n`),
  );
  expect(endpoint).toContain("\n  It begins after event 0.\n");
  const key = await saying("keys", "create", "--name", "Till", "--plan", "free");
  for (const said of [operator, endpoint, key]) expect(said).toMatch(/shown only once: store it /);
  for (const said of [operator, key]) expect(said).toContain("Authorization: Bearer ");
  for (const [verb, outcome] of [
    ["disable", "is disabled"],
    ["enable", "is enabled"],
  ] as const)
    expect(await saying("webhooks", verb, webhook.id)).toBe(`Endpoint ${webhook.id}, ${url}, ${outcome}.\n`);
  expect(await saying("webhooks", "redeliver", webhook.id, "--after", "0")).toBe(
    `The service delivers all events after 0 to endpoint ${webhook.id}.\n`,
  );
  expect(await saying("webhooks", "deliveries", webhook.id)).toBe("Nothing was delivered yet.\n");
  await saying("webhooks", "delete", webhook.id);
  expect(await saying("webhooks", "list")).toMatch(
    /^There are no endpoints\. `.* webhooks create \S+` creates one\.\n$/,
  );
});

test("a past request is shown with who sent it, what it rehearsed and what was left to its key", async () => {
  const at = Date.now();
  const anonymous = { keyId: undefined, decision: undefined, status: 401, error: "missing_api_key" } as const;
  await withStores(async ({ requests }) => {
    const history = new RequestBuffer(requests, "0a1b2c3d");
    history.record(requestOf({ requestId: "anonymous", at, method: "POST", path: "/v1/pets", ...anonymous }));
    history.record(requestOf({ requestId: "rehearsed", at, simulation: { delay: 5, cut: "lost-answer" } }));
    await history.write();
  });
  const rows = async (id: string) => rowsOf(await saying("requests", "show", id));
  const [of] = await json("requests", "show", "anonymous");
  expect(await rows("anonymous")).toEqual([
    ["request", "anonymous"],
    ["time", timeOf(of.at)],
    ["call", "POST /v1/pets"],
    ["operation", of.operation],
    ["key", "none that is valid"],
    ["status", `401 missing_api_key: ${of.error.message}`],
    ["duration", `${of.duration} ms`],
  ]);
  const rehearsed = await rows("rehearsed");
  expect(rehearsed).toContainEqual(["simulated", "delay=5, lost-answer"]);
  expect(rehearsed).toContainEqual(["status", "200"]);
});

test("usage is shown with bans and rehearsals, and the operations with the most requests first", async () => {
  const at = startOf("hour", Date.now());
  const counts: [operation: string, counts: number[]][] = [
    ["listPets", [2, 0, 0, 0, 0]],
    ["getPet", [1_200, 30, 4, 5, 6]],
    ["createPet", [50, 0, 0, 0, 0]],
    [SIMULATED, [7, 0, 0, 0, 0]],
  ];
  const usage = counts.map(([operation, counts]) => ({
    ...{ resolution: "hour" as const, at, who: TOTAL, operation, counts },
  }));
  await withStores((stores) => stores.usage.add({ writer: "test", number: 1, at, usage, latency: [] }, () => {}));
  const rows = rowsOf(await saying("usage"));
  expect(rows.slice(2)).toEqual([
    ["requests", "1,291"],
    ["status 2xx", "1,252"],
    ["status 4xx", "30"],
    ["status 429", "4"],
    ["status 5xx", "5"],
    ["bans", "6"],
    ["simulated", "7"],
    ["getPet", "1,239"],
    ["createPet", "50"],
    ["listPets", "2"],
  ]);
});

test("an event is shown with its data, and the document of the interface goes to the file that is named", async () => {
  await withStores(({ pets }) => pets.create({ name: "Rex", categoryId: 1n }, { now: Date.now() }));
  const [event] = await json("events", "list");
  const [, row = []] = rowsOf(await saying("events", "list"));
  expect(row).toEqual([
    ...[String(event.id), timeOf(event.at), event.type, event.subject, String(event.version)],
    expect.any(String),
  ]);
  expect(JSON.stringify(event.data)).toStartWith(String(row.at(-1)).replace(/…$/, ""));
  const file = join(directory, "openapi.json");
  expect(await saying("openapi", "--output", file)).toBe("");
  expect(existsSync(file)).toBe(true);
  expect(readFileSync(file, "utf8")).toBe(await saying("openapi"));
  expect(JSON.parse(readFileSync(file, "utf8")).servers[0]).toMatchObject({ url: settings.PETSTORE_BASE_URL });
});

test("an error that something is not there names the list of what is, as it is run", async () => {
  const lists = (await petstoreCommand()).commands.flatMap((noun) =>
    noun.commands.some((one) => one.name() === "list") ? [noun.name()] : [],
  );
  const others: ErrorCode[] = ["not_found", "backup_not_found", "alert_not_found", "event_not_found"];
  const codes = Object.keys(errorCatalogue).filter((code): code is ErrorCode => code.endsWith("not_found"));
  const hinted = codes.filter((code) => !others.includes(code));
  expect(hinted).toHaveLength(7);
  for (const code of hinted) {
    const [thing = ""] = code.split("_");
    const noun = lists.find((one) => one.startsWith(thing.slice(0, -1)));
    const { message } = new PetstoreError(code);
    const hint = /^petstore: (.*) `(.*) list` shows (?:the|all|them)\b.*\.$/.exec(formatError(new PetstoreError(code)));
    expect([code, hint?.[1]]).toEqual([code, message]);
    expect(`${hint?.[2]}`).toEndWith(` ${noun}`);
  }
  const unavailable = new PetstoreError("service_unavailable", { cause: new Error("the disk is full") });
  expect(formatError(unavailable)).toBe("petstore: the database is not available: the disk is full");
  expect(formatError(new Error("it is odd"))).toBe("petstore: it is odd");
  expect(formatError(new ConfigError(["PORT must be a number.", "HOST must be a text."]))).toBe(
    "petstore cannot start:\n  PORT must be a number.\n  HOST must be a text.",
  );
});
