import { expect, test } from "bun:test";
import fc from "fast-check";
import { states } from "../../../test/support/markdown.ts";
import { parse, stringify, withJson } from "../../src/int64.ts";

const LEAST = -(2n ** 63n);

/** An int64 as the library returns it: a number if exact. */
const int64 = fc
  .bigInt({ min: LEAST, max: -LEAST - 1n })
  .map((value) => (Number.isSafeInteger(Number(value)) ? Number(value) : value));

/** Any JSON value whose integers are exact. Strings look like other parts of a JSON text. */
const text = fc.oneof(fc.string({ unit: "binary" }), fc.stringMatching(/^[sn"\\:{}[\],\d -]{0,30}$/));
const value = fc.letrec((tie) => ({
  any: fc.oneof({ depthSize: "small" }, int64, text, fc.boolean(), fc.constant(null), tie("list"), tie("object")),
  list: fc.array(tie("any"), { maxLength: 5 }),
  object: fc.dictionary(
    text.filter((key) => key !== "__proto__"),
    tie("any"),
    { maxKeys: 5 },
  ),
})).any;

/** JSON with its bigints as digits, by `JSON.rawJSON` of newer runtimes. */
const written = (json: unknown, indent: number) =>
  JSON.stringify(json, (_key, item) => (typeof item === "bigint" ? JSON.rawJSON(String(item)) : item), indent);

test("JSON is parsed with every digit of its integers", () => {
  states(
    "docs/quick-start.md",
    "Read integers exactly. `categoryId` may be any 64-bit integer, and many JSON parsers round beyond 2⁵³: Integers.",
    "Ignore what you do not know. Later versions may add fields, headers and operations: Versions.",
  );
  fc.assert(
    fc.property(value, fc.nat(2), (json, indent) => {
      expect(parse(written(json, indent))).toEqual(json === undefined ? null : json);
    }),
    { numRuns: 2_000 },
  );
});

test("invalid JSON is refused as by JSON.parse, however many digits it has", () => {
  const long = "9007199254740993";
  for (const bad of [
    `0${long}`,
    `${long}.`,
    `+${long}`,
    `[${long},]`,
    `{${long}:1}`,
    `${long} ${long}`,
    `"${long}`,
    `-`,
  ]) {
    expect(() => parse(bad)).toThrow(SyntaxError);
  }
  expect(parse(`{"${long}":"${long}"}`)).toEqual({ [long]: long });
  expect(parse(`"\\"${long}"`)).toBe(`"${long}`);
});

test("a pet is written with all digits of its integers, without undefined fields", () => {
  fc.assert(
    fc.property(text, int64, (name, categoryId) => {
      const json = stringify({ name, categoryId, status: undefined });
      expect(parse(json)).toEqual({ name, categoryId });
      expect(json).toEndWith(`"categoryId":${categoryId}}`);
    }),
  );
});

test("parsing takes time in proportion to the length of the text, complete or cut off", () => {
  const { user } = process.cpuUsage();
  const name = `\\"9007199254740993`.repeat(20_000);
  const long = `{"name":"${name}","spaces":[${" ".repeat(100_000)}],"id":9007199254740993}`;
  expect(parse(long)).toMatchObject({ id: 9007199254740993n });
  expect(() => parse(long.slice(0, -100_100))).toThrow(SyntaxError);
  expect(process.cpuUsage().user - user).toBeLessThan(1_000_000);
});

test("JSON.stringify of an object with bigints writes all digits, also nested and with an indent", () => {
  states(
    "client/README.md",
    "On platforms without `JSON.rawJSON`, such as Node 20, a bigint beyond 2⁵³ becomes a string of its digits.",
    "A copy of a pet, such as `{ ...pet }`, is a plain object, of which `JSON.stringify` refuses bigints.",
  );
  fc.assert(
    fc.property(text, int64, fc.nat(2), (name, categoryId, indent) => {
      const pet = withJson({ id: 1n, name, categoryId });
      expect(parse(JSON.stringify({ pets: [pet] }, null, indent))).toEqual({ pets: [{ id: 1, name, categoryId }] });
      expect(Object.keys(pet)).toEqual(["id", "name", "categoryId"]);
    }),
  );
  states("client/README.md", "`JSON.stringify` of a pet works in both modes, with every digit.");
});

test("where JSON.rawJSON is missing, a bigint is a number if that is exact, and a string of its digits otherwise", () => {
  states(
    "client/README.md",
    "On platforms without `JSON.rawJSON`, such as Node 20, a bigint beyond 2⁵³ becomes a string of its digits.",
    "A copy of a pet, such as `{ ...pet }`, is a plain object, of which `JSON.stringify` refuses bigints.",
  );
  const { rawJSON } = JSON;
  try {
    Object.assign(JSON, { rawJSON: undefined });
    for (const [value, written] of [
      [2n ** 53n - 1n, "9007199254740991"],
      [2n ** 53n, '"9007199254740992"'],
      [LEAST, '"-9223372036854775808"'],
      [-7n, "-7"],
    ] as const)
      expect(JSON.stringify(withJson({ id: value }))).toBe(`{"id":${written}}`);
    expect(() => JSON.stringify({ ...withJson({ id: LEAST }) })).toThrow(TypeError);
  } finally {
    Object.assign(JSON, { rawJSON });
  }
});
