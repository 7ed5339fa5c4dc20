import fc from "fast-check";
import { body as anyBody } from "./generated-bodies.ts";
import type { GeneratedRequest } from "./generated-requests.ts";
import { METHODS } from "./outcomes.ts";

type Field = [name: string, value: string];
/** What an attacker may have: credentials, as header fields, and existing ids. */
export type Loot = { credentials: Field[][]; keyIds: string[]; operatorIds: string[] };

const pick = <T>(...values: T[]) => fc.constantFrom(...values);
const utf8 = (text: string) => new Uint8Array(new TextEncoder().encode(text));
const latin1 = fc.array(
  fc.integer({ min: 0x21, max: 0xff }).filter((unit) => unit !== 0x7f),
  { maxLength: 40 },
);
const value = latin1.map((units) => String.fromCharCode(...units));

const segment = fc.oneof(
  pick(
    "..",
    "%2e%2e",
    "%2F",
    "%00",
    "%",
    "%zz",
    "%ff",
    "__proto__",
    "keys",
    "v1",
    "admin",
    "rotate",
    "export",
    "a;b",
    "*",
  ),
  fc.stringMatching(/^[!-"$->@-~]{0,15}$/),
);

const parameter = fc.oneof(
  pick(
    "",
    "0",
    "1",
    "50",
    "200",
    "201",
    "-1",
    "1.5",
    "1e2",
    "%00",
    "%ff",
    "%",
    "free",
    "free,pro",
    "banned",
    "active,x",
    "csv",
  ),
  pick(
    "minute",
    "day",
    "2026-12-02T10:00:00Z",
    "2026-12-02T10:00:00%2B14:00",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
  ),
  fc.bigInt({ min: 0n, max: 2n ** 70n }).map(String),
  fc.nat(2 ** 53).map((at) => `${at}.key_x`),
  fc.string({ unit: "grapheme-ascii", maxLength: 150 }).map(encodeURIComponent),
);
const names = [
  "limit",
  "after",
  "before",
  "search",
  "plan",
  "state",
  "key",
  "resolution",
  "from",
  "to",
  "format",
  "status",
  "x",
];
const query = fc
  .array(fc.tuple(pick(...names), parameter), { maxLength: 4 })
  .map((pairs) => (pairs.length === 0 ? "" : `?${pairs.map(([name, its]) => `${name}=${its}`).join("&")}`));

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }).map((its) => JSON.stringify(its)),
  pick('"Ada"', '""', '"\\u0000"', '"\\ud800"', "null", "1", "[]", '"free"', '"enterprise"', '"admin"', '"viewer"'),
  pick('"2030-01-01T00:00:00Z"', '"9999-12-31T23:59:59.999-23:59"', '"0000-01-01T00:00:00Z"', '"2030-02-31T00:00:00Z"'),
);
const number = fc.oneof(
  pick("0", "1", "60", "1.5", "-1", "1e400", "1e9", "true"),
  fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }).map(String),
);
const member = fc.oneof(
  fc
    .tuple(pick("name", "plan", "role", "expiresAt", "token", "categoryId"), fc.oneof(text, number))
    .map(([name, its]) => `"${name}":${its}`),
  fc.tuple(number, number).map(([minute, day]) => `"limits":{"perMinute":${minute},"perDay":${day}}`),
  number.map((its) => `"graceSeconds":${its}`),
  pick(
    '"scopes":["pets:read"]',
    '"scopes":[]',
    '"scopes":["x",1]',
    '"__proto__":{"role":"admin"}',
    '"role":"admin"',
    '"name":"Rex"',
    '"plan":"pro"',
  ),
);
const object = fc.array(member, { maxLength: 6 }).map((members) => `{${members.join(",")}}`);
const good = pick(
  '{"name":"New","plan":"free"}',
  '{"name":"New","role":"viewer"}',
  '{"name":"Rex","categoryId":1}',
  '{"plan":"pro"}',
  "{}",
);
const body = fc.oneof(
  { weight: 4, arbitrary: object.map(utf8) },
  { weight: 3, arbitrary: good.map(utf8) },
  { weight: 1, arbitrary: fc.array(object, { maxLength: 20 }).map((lines) => utf8(lines.join("\n"))) },
  { weight: 1, arbitrary: anyBody },
);

/** Complete requests to the administration listener, mostly with credentials, so that they pass authentication. */
export function administrationRequests({ credentials, keyIds, operatorIds }: Loot): fc.Arbitrary<GeneratedRequest> {
  const key = fc.oneof(pick(...keyIds), segment);
  const operator = fc.oneof(pick(...operatorIds), segment);
  const path = fc.oneof(
    {
      weight: 6,
      arbitrary: pick("keys", "operators", "audit", "state", "overview", "usage", "deprecations", "session"),
    },
    { weight: 4, arbitrary: pick("pets", "pets/export", "pets/import") },
    {
      weight: 6,
      arbitrary: fc
        .tuple(key, pick("", "/rotate", "/revoke", "/unban", "/usage"))
        .map(([id, rest]) => `keys/${id}${rest}`),
    },
    { weight: 2, arbitrary: operator.map((id) => `operators/${id}/revoke`) },
    { weight: 2, arbitrary: fc.array(segment, { maxLength: 4 }).map((segments) => segments.join("/")) },
  );
  const outside = fc.tuple(pick("", "console", "admin", "v1", "metrics"), fc.array(segment, { maxLength: 4 }));
  const target = fc.oneof(
    { weight: 12, arbitrary: path.map((its) => `/admin/v1/${its}`) },
    { weight: 2, arbitrary: outside.map(([first, rest]) => `/${[first, ...rest].join("/")}`) },
    {
      weight: 1,
      arbitrary: pick(
        "/",
        "/console",
        "/livez",
        "/readyz",
        "/admin/openapi.json",
        "/admin",
        "/admin/v1",
        "//admin/v1/keys",
      ),
    },
  );
  const type = pick("application/json", "application/json", "application/x-ndjson", "text/csv", "text/plain", "");
  const other = fc.oneof(
    fc.tuple(
      pick(
        "Cookie",
        "Authorization",
        "Origin",
        "Sec-Fetch-Site",
        "X-Request-Id",
        "X-Forwarded-Proto",
        "Range",
        "Accept-Encoding",
      ),
      value,
    ),
    pick<Field>(
      ["Sec-Fetch-Site", "cross-site"],
      ["Sec-Fetch-Site", "same-origin"],
      ["Content-Encoding", "gzip"],
      ["Accept-Encoding", "br, gzip"],
    ),
  );
  const fields = fc.tuple(pick(...credentials), type, fc.ipV4(), fc.array(other, { maxLength: 2 }));
  const anything = fc.record({
    method: fc.oneof(
      { weight: 6, arbitrary: pick("GET", "POST", "PATCH", "DELETE") },
      { weight: 1, arbitrary: pick(...METHODS) },
    ),
    path: fc.tuple(target, query).map(([its, asked]) => its + asked),
    version: fc.constant("HTTP/1.1"),
    fields: fields.map(([own, kind, address, more]): Field[] => [
      ["Host", "petstore.test"],
      ["X-Forwarded-For", address],
      ...own,
      ...(kind === "" ? [] : [["Content-Type", kind] satisfies Field]),
      ...more,
    ]),
    body: fc.option(body, { nil: undefined, freq: 3 }),
    isChunked: fc.boolean(),
  });
  // Requests that probably change something, with the first credentials, an admin's.
  const change = fc.record({
    method: pick("POST", "POST", "PATCH"),
    path: fc
      .oneof(
        pick("keys", "operators", "pets"),
        key.map((id) => `keys/${id}`),
      )
      .map((its) => `/admin/v1/${its}`),
    version: fc.constant("HTTP/1.1"),
    fields: fc.constant<Field[]>([["Host", "x"], ...(credentials[0] ?? []), ["Content-Type", "application/json"]]),
    body,
    isChunked: fc.boolean(),
  });
  return fc.oneof({ weight: 4, arbitrary: anything }, { weight: 1, arbitrary: change });
}
