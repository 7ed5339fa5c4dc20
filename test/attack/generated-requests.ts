import fc from "fast-check";
import { INT64_MAX, INT64_MIN } from "../../src/domain/int64.ts";
import { body, bodyOf } from "./generated-bodies.ts";
import { METHODS } from "./outcomes.ts";

type Field = [name: string, value: string];

/** A complete request with valid framing, which must get a response. Texts are Latin-1. */
export type GeneratedRequest = {
  method: string;
  path: string;
  version: string;
  fields: Field[];
  body: Uint8Array | undefined;
  isChunked: boolean;
};

const utf8 = (text: string) => new Uint8Array(new TextEncoder().encode(text));
const pick = <T>(...values: T[]) => fc.constantFrom(...values);
const printable = (maxLength: number) => fc.string({ unit: "grapheme-ascii", maxLength });

const method = fc.oneof(
  { weight: 12, arbitrary: pick("GET", "POST") },
  { weight: 4, arbitrary: pick(...METHODS) },
  { weight: 1, arbitrary: fc.stringMatching(/^[A-Za-z!#$%&'*+.^_`|~-]{1,12}$/) },
);

/** Values of a query parameter: valid ones, those around its bounds, and nonsense. */
const parameter = fc.oneof(
  pick(
    "",
    "0",
    "1",
    "20",
    "100",
    "101",
    "-1",
    "1.0",
    "01",
    "1e2",
    "available",
    "SOLD",
    "null",
    "%00",
    "%ff",
    "%",
    "a&b",
  ),
  fc.bigInt({ min: INT64_MIN * 2n, max: INT64_MAX * 2n }).map(String),
  fc.array(fc.nat(200), { maxLength: 120, size: "max" }).map((ids) => ids.join(",")),
  printable(20).map(encodeURIComponent),
);
const query = fc
  .array(
    fc.tuple(pick("limit", "status", "after", "ids", "petId", "name", "x", "limit[]", "access_token"), parameter),
    { maxLength: 4 },
  )
  .map((pairs) => (pairs.length === 0 ? "" : `?${pairs.map(([name, value]) => `${name}=${value}`).join("&")}`));

/** The parts of a target beyond letters, without spaces and control characters, which would end it. */
const segment = fc.oneof(
  fc.nat(300).map(String),
  fc.bigInt({ min: -1n, max: INT64_MAX * 3n }).map(String),
  pick(
    "..",
    ".",
    "%2e%2e",
    "%2F",
    "%00",
    "%0d%0a",
    "%",
    "%zz",
    "%C3%A9",
    "%ff",
    "pets",
    "v1",
    "*",
    "__proto__",
    "a;b",
    "~",
    "'",
  ),
  fc.stringMatching(/^[!-"$->@-~]{0,15}$/),
);
/** The paths of categories, orders and the inventory, with few ids. */
const otherPath = fc.oneof(
  pick("/v1/categories", "/v1/store/orders", "/v1/store/orders", "/v1/store/inventory"),
  fc.integer({ min: -3, max: 9 }).map((id) => `/v1/categories/${id}`),
  fc.nat(60).map((id) => `/v1/store/orders/${id}`),
  segment.map((id) => `/v1/categories/${id}`),
  segment.map((id) => `/v1/store/orders/${id}`),
);
const path = fc
  .oneof(
    { weight: 6, arbitrary: fc.constant("/v1/pets") },
    { weight: 4, arbitrary: segment.map((id) => `/v1/pets/${id}`) },
    { weight: 4, arbitrary: otherPath },
    { weight: 2, arbitrary: pick("/v1/usage", "/v1/usage", "/v1/usage/", "/v1/%75sage", "/v1/pets/../usage") },
    { weight: 2, arbitrary: fc.array(segment, { maxLength: 4 }).map((segments) => `/v1/${segments.join("/")}`) },
    { weight: 2, arbitrary: fc.array(segment, { maxLength: 4 }).map((segments) => `/${segments.join("/")}`) },
    { weight: 1, arbitrary: pick("/", "/v1", "/livez", "/readyz", "/v1pets", "//v1/pets", "/%76%31/pets", "/V1/pets") },
    { weight: 1, arbitrary: segment.map((rest) => `http://other.example/${rest}`) },
  )
  .chain((target) => query.map((text) => target + text));

const contentType = fc.oneof(
  { weight: 8, arbitrary: fc.constant("application/json") },
  pick(
    "application/json; charset=utf-8",
    "application/json;charset=latin1",
    "text/plain",
    "application/jsonx",
    "*/*",
    "",
  ),
  printable(30).map((value) => value.trim()),
);
/** Any header value: visible Latin-1, with spaces and tabs inside. */
const value = fc
  .string({
    unit: fc
      .oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0xa0, max: 0xff }), fc.constant(9))
      .map((unit) => String.fromCharCode(unit)),
    maxLength: 40,
  })
  .map((given) => given.trim());
const field: fc.Arbitrary<Field> = fc.oneof(
  fc.tuple(fc.stringMatching(/^X-[A-Za-z0-9!#$&'*+.^_`|~-]{1,20}$/), value),
  fc.tuple(
    pick("X-Request-Id", "X-Forwarded-For", "Origin", "Accept", "Cookie", "Forwarded", "If-None-Match", "Range"),
    value,
  ),
  fc.tuple(fc.constant("X-Forwarded-For"), fc.oneof(fc.ipV4(), fc.ipV6(), fc.constant("unknown, 10.0.0.1,,"))),
  fc.tuple(fc.constant("Access-Control-Request-Method"), pick("GET", "POST", "x")),
  fc.tuple(fc.constant("Content-Encoding"), pick("gzip", "identity", "br, gzip", "")),
  fc.tuple(fc.constant("Accept-Encoding"), value),
  fc.tuple(fc.constant("Connection"), pick("keep-alive", "close", "Upgrade", "X-A")),
);

/** Values of Host with which no request is valid. */
export const INVALID_HOSTS = ["a b", "x/livez?"];
const FEW = { weight: 1, arbitrary: pick(...INVALID_HOSTS, "") };
const host = fc.oneof({ weight: 30, arbitrary: fc.constant("petstore.test") }, FEW);
const version = fc.oneof(
  { weight: 20, arbitrary: fc.constant("HTTP/1.1") },
  { weight: 1, arbitrary: fc.constant("HTTP/1.0") },
);

/** A change of a category, an order or a pet that is mostly valid: its method, its path and its body. */
const target = fc.oneof(
  fc.record({
    verb: pick("PUT", "DELETE"),
    to: fc.nat(9).map((id) => `/v1/categories/${id}`),
    content: bodyOf.category,
  }),
  fc.record({ verb: fc.constant("POST"), to: fc.constant("/v1/categories"), content: bodyOf.category }),
  fc.record({ verb: fc.constant("POST"), to: fc.constant("/v1/store/orders"), content: bodyOf.order }),
  fc.record({
    verb: fc.constant("PATCH"),
    to: fc.nat(40).map((id) => `/v1/store/orders/${id}`),
    content: bodyOf.change,
  }),
  fc.record({
    verb: pick("PATCH", "PATCH", "DELETE"),
    to: fc.nat(90).map((id) => `/v1/pets/${id}`),
    content: fc.oneof(bodyOf.change, bodyOf.category),
  }),
);

/** Requests of every kind, mostly with the first of these secrets, so that they pass authentication. */
export function requests(secrets: [good: string, ...others: string[]]): fc.Arbitrary<GeneratedRequest> {
  const bearer = secrets.map((secret) => `Bearer ${secret}`);
  const good = fc.constant([bearer[0] ?? ""]);
  const anyOf = fc.array(pick(...bearer), { minLength: 1, maxLength: 1 });
  const odd = fc.array(fc.oneof(pick(...bearer), value), { maxLength: 2 });
  const authorization = fc
    .oneof({ weight: 6, arbitrary: good }, { weight: 3, arbitrary: anyOf }, { weight: 1, arbitrary: odd })
    .map((values) => values.map((its): Field => ["Authorization", its]));
  const type = fc.option(fc.tuple(fc.constant("Content-Type"), contentType), { nil: undefined, freq: 8 });
  const leaky = pick(...secrets).map((secret) => `/v1/pets/${secret}?key=${secret}`);

  const anything = fc.record({
    method,
    path: fc.oneof({ weight: 30, arbitrary: path }, { weight: 1, arbitrary: leaky }),
    version,
    fields: fc
      .tuple(host, authorization, type, fc.array(field, { maxLength: 4 }))
      .map(([its, key, kind, more]): Field[] => [["Host", its], ...key, ...(kind ? [kind] : []), ...more]),
    body: fc.option(body, { nil: undefined, freq: 3 }),
    isChunked: fc.boolean(),
  });
  const name = fc.option(
    fc.oneof(pick("a", "b", "x".repeat(255), "x".repeat(256), ""), value).map((its): Field => ["Idempotency-Key", its]),
    { nil: undefined },
  );
  const creation = fc.record({
    method: fc.constant("POST"),
    path: fc.constant("/v1/pets"),
    version,
    fields: fc
      .tuple(authorization, name)
      .map(([key, its]): Field[] => [
        ["Host", "x"],
        ...key,
        ["Content-Type", "application/json"],
        ...(its ? [its] : []),
      ]),
    body,
    isChunked: fc.boolean(),
  });
  // Half of the changes have no condition: otherwise most of them would be refused with 412.
  const match = fc.option(
    pick('"v1"', '"v1"', 'W/"v2"', "*", '"v1', "").map((its): Field => ["If-Match", its]),
    { nil: undefined, freq: 2 },
  );
  const change = fc.tuple(target, version, authorization, name, match, fc.boolean()).map(
    ([{ verb, to, content }, its, key, once, tags, isChunked]): GeneratedRequest => ({
      method: verb,
      path: to,
      version: its,
      fields: [
        ["Host", "x"],
        ...key,
        ["Content-Type", "application/json"],
        ...(once ? [once] : []),
        ...(tags ? [tags] : []),
      ],
      body: content,
      isChunked,
    }),
  );
  return fc.oneof(
    { weight: 4, arbitrary: anything },
    { weight: 2, arbitrary: creation },
    { weight: 2, arbitrary: change },
  );
}

/** The bytes of the request. HTTP/1.0 has no chunks. */
export function bytesOf({
  method: verb,
  path: target,
  version,
  fields,
  body: content,
  isChunked,
}: GeneratedRequest): Uint8Array {
  const framing = framingOf(content, isChunked && version === "HTTP/1.1");
  const lines = fields.map(([key, its]) => `${key}: ${its}\r\n`).join("");
  const head = Buffer.from(`${verb} ${target} ${version}\r\n${lines}${framing.field}\r\n`, "latin1");
  return Buffer.concat([head, ...framing.parts]);
}

function framingOf(content: Uint8Array | undefined, isChunked: boolean): { field: string; parts: Uint8Array[] } {
  if (content === undefined) return { field: "", parts: [] };
  if (!isChunked) return { field: `Content-Length: ${content.length}\r\n`, parts: [content] };
  const half = Math.ceil(content.length / 2);
  const chunks = [content.subarray(0, half), content.subarray(half)].filter((chunk) => chunk.length > 0);
  const parts = chunks.flatMap((chunk) => [utf8(`${chunk.length.toString(16)}\r\n`), chunk, utf8("\r\n")]);
  return { field: "Transfer-Encoding: chunked\r\n", parts: [...parts, utf8("0\r\n\r\n")] };
}
