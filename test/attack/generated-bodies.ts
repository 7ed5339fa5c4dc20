import fc from "fast-check";
import { INT64_MAX, INT64_MIN } from "../../src/domain/int64.ts";

const MAX_BODY_BYTES = 64 * 1024;

const utf8 = (text: string) => new Uint8Array(new TextEncoder().encode(text));
const pick = <T>(...values: T[]) => fc.constantFrom(...values);

const number = fc.oneof(
  pick(
    "0",
    "-0",
    "1",
    "1.0",
    "1e2",
    "1.5",
    "1e400",
    "-1e-400",
    "9".repeat(400),
    "1e99999999999999999999",
    "01",
    "0x1",
    "NaN",
  ),
  fc.bigInt({ min: INT64_MIN - 2n, max: INT64_MAX + 2n }).map(String),
);
const name = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }).map((text) => JSON.stringify(text)),
  pick(
    '"Rex"',
    '""',
    '" "',
    '"\\u0000"',
    '"\\ud800"',
    '"\\udc00\\ud83d"',
    '"\\ud83d\\udc15"',
    "null",
    "1",
    "[]",
    `"${"x".repeat(256)}"`,
  ),
);
const status = pick('"available"', '"pending"', '"sold"', '"gone"', "null", "1", '"\\u0073old"');
const member = fc.oneof(
  name.map((value) => `"name":${value}`),
  number.map((value) => `"categoryId":${value}`),
  status.map((value) => `"status":${value}`),
  pick('"__proto__":{"polluted":1}', '"constructor":{"prototype":1}', '"id":7', '"n\\u0061me":"Max"', '"":0'),
  fc.json({ maxDepth: 2 }).map((value) => `"more":${value}`),
);
const pet = fc.record({ name, number, status }, { requiredKeys: ["name", "number"] }).map((fields) => {
  const more = fields.status === undefined ? "" : `,"status":${fields.status}`;
  return `{"name":${fields.name},"categoryId":${fields.number}${more}}`;
});
/** The bodies of categories and orders: mostly valid ones, of few names and few pets, so that they conflict. */
const category = fc
  .oneof(pick('"Dogs"', '"DOGS"', '"Cats"', '"Birds"', '"Fish"', '"x"'), name)
  .map((value) => `{"name":${value}}`);
const order = fc.oneof({ weight: 4, arbitrary: fc.nat(90).map(String) }, number).map((value) => `{"petId":${value}}`);
const change = pick("placed", "approved", "delivered", "cancelled", "sold", "").map((value) => `{"status":"${value}"}`);
/** The same as bytes. */
export const bodyOf = { category: category.map(utf8), order: order.map(utf8), change: change.map(utf8) };
const REX = '{"name":"Rex","categoryId":1}';

const text = fc.oneof(
  { weight: 4, arbitrary: fc.constant(REX) },
  { weight: 6, arbitrary: pet },
  { weight: 4, arbitrary: fc.array(member, { maxLength: 5 }).map((members) => `{${members.join(",")}}`) },
  { weight: 2, arbitrary: fc.json({ maxDepth: 3 }) },
  { weight: 2, arbitrary: fc.oneof(category, order, change) },
  {
    weight: 1,
    arbitrary: fc.nat(70).map((depth) => `{"name":"Rex","categoryId":1,"a":${"[".repeat(depth)}${"]".repeat(depth)}}`),
  },
  { weight: 1, arbitrary: fc.nat(40_000).map((depth) => "[".repeat(depth)) },
  { weight: 2, arbitrary: fc.integer({ min: -2, max: 2 }).map((more) => REX.padEnd(MAX_BODY_BYTES + more)) },
  { weight: 2, arbitrary: fc.tuple(pet, fc.nat(60)).map(([whole, length]) => whole.slice(0, length)) },
  { weight: 1, arbitrary: pet.map((whole) => `\ufeff${whole}`) },
);
/** A body: a pet, an invalid pet, or anything else. */
export const body: fc.Arbitrary<Uint8Array> = fc.oneof(
  { weight: 8, arbitrary: text.map(utf8) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300, size: "max" }) },
  { weight: 1, arbitrary: pet.map((whole) => new Uint8Array(Buffer.from(whole, "utf16le"))) },
  { weight: 1, arbitrary: pet.map((whole) => new Uint8Array(Buffer.from(whole, "latin1"))) },
);
