import { copyFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { type Catalogue, createCatalogue } from "./catalogue.ts";
import { serve } from "./servers.ts";
import type { Server, Workspace } from "./workspace.ts";

/** Starts a program with the service's work on a catalogue. */
export type Start = (catalogue: Catalogue) => Promise<Server>;

type Step = { method?: string; path: string; body?: string; headers?: Record<string, string>; key?: string };
type Seen = { answer: (string | number)[]; present: string[]; seconds: number[] };

const SIZE = 1_000;
/** Seconds of which two answers to one request may differ in the end of a window. */
const APART = 5;

/** The headers that must be the same, and those that must be there. */
const SAME = [
  "Content-Type",
  "Cache-Control",
  "Vary",
  "ETag",
  "Link",
  "Location",
  "Deprecation",
  "Sunset",
  "WWW-Authenticate",
  "X-Content-Type-Options",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "RateLimit-Policy",
  "RateLimit",
];
const PRESENT = ["X-Request-Id", "Date"];
const SECONDS = ["X-RateLimit-Reset", "Retry-After"];

/** What both files must contain in the end. */
const CONTENTS = [
  "SELECT id, name, CAST(category_id AS TEXT), status, version, name_key FROM pets ORDER BY id",
  "SELECT id, pet_id, status, version, pet_name, pet_category_id FROM orders ORDER BY id",
  "SELECT * FROM pet_blocks ORDER BY pet_status, block",
  "SELECT sum(available), sum(pending), sum(sold), sum(placed) FROM inventory",
];

/** Sends the same requests to a program and to the service. @throws at the first answer that differs, or if the files do in the end */
export async function requireEqual(workspace: Workspace, start: Start): Promise<void> {
  const catalogue = await createCatalogue(workspace.path("petstore.db"), SIZE, {
    others: [
      { perMinute: 2, perDay: 1_000 },
      { perMinute: 2, perDay: 2 },
    ],
  });
  const copy = { ...catalogue, path: workspace.path("petstore.db") };
  copyFileSync(catalogue.path, copy.path);
  await using service = await serve(workspace, catalogue);
  await using program = await start(copy);
  for (const step of steps(catalogue)) {
    const expected = await answerOf(service, catalogue.secret, step);
    const found = await answerOf(program, catalogue.secret, step);
    const difference = differenceOf(expected, found);
    if (difference !== undefined)
      throw new Error(`${step.method ?? "GET"} ${step.path} ${step.body ?? ""}: the service has ${difference}`);
  }
  const [theirs, ours] = [contentsOf(copy), contentsOf(catalogue)];
  const table = CONTENTS.find((_, i) => theirs[i] !== ours[i]);
  if (table !== undefined) throw new Error(`after the same requests the file differs from the service's: ${table}`);
}

function* steps({ secret, others }: Catalogue): Generator<Step> {
  const plain: Step[] = [
    ...["", "?limit=20", "?limit=20", "?limit=100&after=900", "?limit=3&after=997", "?after=1000", "?status=sold"],
    ...[
      "?limit=20&status=available&after=59",
      "?limit=20&after=59&status=pending&turn=7",
      "?after=9223372036854775807",
    ],
    ...["?limit=0", "?limit=101", "?limit=x&status=y&after=-1", "?limit=&after=9223372036854775808"],
    ...["/1", "/1000", "/1001", "/0", "/01", "/abc", "/9007199254740993"],
  ].map((path) => ({ path: `/v1/pets${path}` }));
  yield* plain;
  yield { path: "/v1/pets/2", headers: { "X-Request-Id": "a.request-of_mine" } };
  yield { path: "/v1/nothing" };
  for (const body of [
    '{"name":"Rex","categoryId":7}',
    '{"name":"Zo\\u00eb \\"\\ud83d\\udc36\\"","categoryId":-9223372036854775808,"status":"sold"}',
    '{"name":"\\uff32ex \\u212b","categoryId":9223372036854775807,"status":"pending","id":4}',
    '{"name":"Rex","categoryId":1e2}',
    '{"name":"Rex","categoryId":9223372036854775808}',
    "{}",
    "[]",
    '{"name"',
    '{"name":" ","categoryId":"1","status":null}',
    `{"name":"${"x".repeat(256)}","categoryId":1.5,"status":"lost"}`,
    '{"name":7,"categoryId":7}',
  ])
    yield { method: "POST", path: "/v1/pets", body };
  for (const [id, body] of [
    [1, '{"status":"sold"}'],
    [1, '{"status":"sold"}'],
    [1, '{"status":"pending"}'],
    [1, '{"name":"Other","status":"available"}'],
    [2, '{"categoryId":123456789012345678}'],
    [2, "{}"],
    [2, "[]"],
    [2, '{"name":null}'],
    [5_000, '{"name":"Rex"}'],
  ])
    yield { method: "PATCH", path: `/v1/pets/${id}`, body: String(body) };
  for (const body of [
    '{"petId":1}',
    '{"petId":1}',
    '{"petId":3}',
    '{"petId":-1}',
    '{"petId":"1"}',
    "{}",
    "",
    '{"petId":4}',
  ])
    yield { method: "POST", path: "/v1/store/orders", body };
  yield { method: "PATCH", path: "/v1/pets/4", body: '{"status":"sold"}' };
  yield { method: "PATCH", path: "/v1/pets/4", body: '{"name":"Ordered"}' };
  for (const path of ["/v1/pets?limit=20", "/v1/pets?limit=20", "/v1/pets/4", "/v1/pets/1003"]) yield { path };
  for (const key of others) for (let i = 0; i < 3; i++) yield { path: "/v1/pets/1", key };
  const wrong = `${secret.slice(0, -1)}${secret.endsWith("0") ? "1" : "0"}`;
  for (const authorization of ["", "Basic eA==", `Bearer ${wrong}`, "Bearer x", `bearer ${secret}`])
    yield { path: "/v1/pets/1", headers: { Authorization: authorization } };
}

async function answerOf({ url }: Server, secret: string, step: Step): Promise<Seen> {
  const { method = "GET", path, body, key = secret } = step;
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...step.headers };
  const response = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) });
  const text = (await response.text()).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]{12}Z/g, "TIME");
  const value = (name: string) =>
    response.headers
      .get(name)
      ?.replaceAll(url, "ROOT")
      .replaceAll(/(?<=t=)\d+/g, "SECONDS");
  return {
    answer: [response.status, text, ...SAME.map((name) => `${name}: ${value(name)}`), ...ownId(response, step)],
    present: PRESENT.filter((name) => response.headers.has(name)),
    seconds: SECONDS.map((name) => Number(response.headers.get(name) ?? -APART)),
  };
}

/** What the client named its request, if it did. */
function ownId({ headers }: Response, step: Step): string[] {
  return step.headers?.["X-Request-Id"] === undefined ? [] : [String(headers.get("X-Request-Id"))];
}

/** What differs, with the service's first; undefined if nothing does. */
function differenceOf(expected: Seen, found: Seen): string | undefined {
  for (const [i, part] of expected.answer.entries())
    if (part !== found.answer[i]) return `${part}, this program ${found.answer[i]}`;
  const absent = PRESENT.find((name) => !found.present.includes(name));
  if (absent !== undefined) return `${absent}, this program has not`;
  const i = expected.seconds.findIndex((time, j) => Math.abs(time - (found.seconds[j] ?? Number.NaN)) > APART);
  return i < 0 ? undefined : `${SECONDS[i]}: ${expected.seconds[i]}, this program ${found.seconds[i]}`;
}

function contentsOf({ path }: Catalogue): string[] {
  const database = new DatabaseSync(path);
  const contents = CONTENTS.map((text) => JSON.stringify(database.prepare(text).all()));
  database.close();
  return contents;
}
