import { describe, expect, test } from "bun:test";
import { isUtf8 } from "node:buffer";
import fc from "fast-check";
import { PetstoreError } from "../../../src/domain/errors.ts";
import { INT64_MAX, INT64_MIN } from "../../../src/domain/int64.ts";
import { parseJson } from "../../../src/domain/json/parse.ts";
import { flatShape, type Shape, WHOLE } from "../../../src/domain/json/shape.ts";
import { toJson } from "../../../src/domain/json/write.ts";
import { holds } from "../../support/holds.ts";

const MOST_LEVELS = 32;

const parse = (text: string) => parseJson(new TextEncoder().encode(text));

/** The code that these bytes are refused with, whether or not their values are kept; undefined when they are parsed. */
function refusal(bytes: Uint8Array): string | undefined {
  const code = refusalFor(bytes, WHOLE);
  expect(refusalFor(bytes, flatShape([]))).toBe(code);
  return code;
}

function refusalFor(bytes: Uint8Array, shape: Shape): string | undefined {
  try {
    parseJson(bytes, "The text", shape);
    return undefined;
  } catch (error) {
    if (error instanceof PetstoreError) return error.code;
    throw error;
  }
}

const refusalOf = (text: string) => refusal(new TextEncoder().encode(text));

/** The value as JSON.parse would have given it: every bigint rounded, no negative zero. */
function rounded(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (Object.is(value, -0)) return 0;
  if (Array.isArray(value)) return value.map(rounded);
  if (value === null || typeof value !== "object") return value;
  return new Map(Object.entries(value).map(([key, item]) => [key, rounded(item)]));
}

function isRefusedByJsonParse(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch {
    return true;
  }
}

describe("a JSON text", () => {
  test("has the value that JSON.parse returns, but with exact integers", () => {
    holds(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        expect(rounded(parse(text))).toEqual(rounded(JSON.parse(text)));
      }),
      1_000,
    );
  });

  test("keeps every int64 exact in any place, when parsed and written again", () => {
    const int64 = fc.bigInt({ min: INT64_MIN, max: INT64_MAX });
    holds(
      fc.property(fc.array(int64), fc.string(), (integers, key) => {
        const value = { nested: [integers, Object.fromEntries([[`_${key}`, integers]])] };
        expect(parse(toJson(value))).toEqual(value);
      }),
      500,
    );
  });

  test("is refused as invalid_json when JSON.parse refuses it", () => {
    const damage = fc.record({ at: fc.nat(200), remove: fc.nat(3), insert: fc.string({ maxLength: 3 }) });
    holds(
      fc.property(fc.json({ maxDepth: 4 }), fc.array(damage, { minLength: 1, maxLength: 3 }), (text, damages) => {
        const damaged = damages.reduce(
          (rest, { at, remove, insert }) => rest.slice(0, at) + insert + rest.slice(at + remove),
          text,
        );
        const code = refusalOf(damaged);
        if (isRefusedByJsonParse(damaged)) expect(code).toBe("invalid_json");
        else expect([undefined, "invalid_json"]).toContain(code);
      }),
      2_000,
    );
  });

  test("from any bytes is parsed, or refused as invalid_json", () => {
    const token = fc.constantFrom(...'{}[],:"\\ \n0-1e.', "null", '"a"', "\\u0061", '"__proto__"', "\u2028", "\ud800");
    holds(
      fc.property(fc.array(token, { maxLength: 40, size: "max" }), (tokens) => {
        const text = tokens.join("").toWellFormed();
        const code = refusalOf(text);
        if (code === undefined) expect(rounded(parse(text))).toEqual(rounded(JSON.parse(text)));
        else expect(code).toBe("invalid_json");
      }),
      2_000,
    );
  });
});

test("nesting is accepted up to 32 levels of arrays and objects", () => {
  const level = fc.constantFrom(["[", "]"], ['{"a":', "}"], ["[1,", "]"], ['{"[":[],"b":', "}"], ['["]}",', "]"]);
  holds(
    fc.property(fc.array(level, { minLength: 1, maxLength: 60, size: "max" }), (levels) => {
      const opening = levels.map(([open]) => open).join("");
      const closing = levels.map(([, close]) => close).reverse();
      // One kind of level holds an empty array beside what is nested in it.
      const own = levels.findLastIndex(([open]) => open?.includes("[]")) + 2;
      const depth = Math.max(levels.length, own);
      expect(refusalOf(`${opening}1${closing.join("")}`)).toBe(depth > MOST_LEVELS ? "invalid_json" : undefined);
    }),
  );
});

/** An object of an object of …, as entries, so that a key may stand in it twice. */
type Entries = [key: string, value: Entries | number][];

const key = fc.oneof(
  fc.constantFrom("a", "b", "\u00e9", "e\u0301", "__proto__", "", '"', "\\", "\u{1F415}"),
  fc.string(),
);
const entries = fc.letrec<{ object: Entries }>((tie) => ({
  object: fc.array(fc.tuple(key, fc.oneof({ maxDepth: 4 }, fc.nat(), tie("object"))), { maxLength: 5 }),
})).object;

/** A string literal of `text`, in which every `nth` UTF-16 unit is escaped. */
function literal(text: string, nth: number): string {
  const units = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
  const isPlain = (unit: number, i: number) => i % nth !== 0 && unit > 0x1f && unit !== 0x22 && unit !== 0x5c;
  const isLone = (unit: number) => unit >= 0xd800 && unit <= 0xdfff;
  const written = units.map((unit, i) =>
    isPlain(unit, i) && !isLone(unit) ? String.fromCharCode(unit) : `\\u${unit.toString(16).padStart(4, "0")}`,
  );
  return `"${written.join("")}"`;
}

function write(object: Entries, nth: number): string {
  const members = object.map(([name, value], i) => {
    const text = typeof value === "number" ? String(value) : write(value, nth);
    return `${literal(name, nth + (i % 2))}: ${text}`;
  });
  return `{${members.join(" , ")}}`;
}

const hasTwice = (object: Entries): boolean =>
  new Set(object.map(([name]) => name)).size < object.length ||
  object.some(([, value]) => typeof value !== "number" && hasTwice(value));

test("a duplicate key in an object is refused, also if it is escaped differently", () => {
  holds(
    fc.property(entries, fc.integer({ min: 1, max: 5 }), (object, nth) => {
      expect(refusalOf(write(object, nth))).toBe(hasTwice(object) ? "invalid_json" : undefined);
    }),
    1_000,
  );
});

test("bytes are accepted exactly if they are UTF-8", () => {
  const bytes = fc.oneof(
    fc.uint8Array({ max: 255, min: 0x20, maxLength: 6 }),
    fc.string({ unit: "binary" }).map((text) => new TextEncoder().encode(text)),
  );
  holds(
    fc.property(bytes, (inside) => {
      const quiet = inside.filter((byte) => byte !== 0x22 && byte !== 0x5c && byte >= 0x20);
      const text = Buffer.concat([Buffer.from('"'), quiet, Buffer.from('"')]);
      expect(refusal(text)).toBe(isUtf8(text) ? undefined : "invalid_json");
    }),
    1_000,
  );
});

test("__proto__ is an ordinary key, and does not change a prototype", () => {
  const value = parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(Object.keys(value as object)).toEqual(["__proto__", "constructor"]);
  expect("polluted" in {}).toBe(false);
});
