import { describe, expect, test } from "bun:test";
import { isUtf8 } from "node:buffer";
import fc from "fast-check";
import { z } from "zod";
import { operations as administration } from "../../src/adapters/http/admin/operations/index.ts";
import { operations } from "../../src/adapters/http/operations/index.ts";
import { PetstoreError } from "../../src/domain/errors.ts";
import { INT64_MAX, INT64_MIN, int64Of, plainInt64 } from "../../src/domain/int64.ts";
import {
  EXACT_DIGITS,
  flatShape,
  keyHash,
  numberOf,
  parseJson,
  type Shape,
  shapeOf,
  toJson,
  WHOLE,
} from "../../src/domain/json.ts";
import { holds } from "../support/holds.ts";

const MOST_LEVELS = 32;

const bytesOf = (text: string) => new TextEncoder().encode(text);
const parse = (text: string) => parseJson(bytesOf(text));

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

const refusalOf = (text: string) => refusal(bytesOf(text));

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

describe("keys", () => {
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

  test("that an object has twice are refused, also if they are escaped differently", () => {
    holds(
      fc.property(entries, fc.integer({ min: 1, max: 5 }), (object, nth) => {
        expect(refusalOf(write(object, nth))).toBe(hasTwice(object) ? "invalid_json" : undefined);
      }),
      1_000,
    );
  });

  test("of one object that have equal hashes are all accepted", () => {
    // Of 80,000 random keys, two have one hash of 32 bits on average.
    const byHash = new Map<number, string>();
    let names: string[] = [];
    while (names.length === 0) {
      const name = Math.random().toString(36);
      const other = byHash.get(keyHash(name));
      if (other !== undefined && other !== name) names = [other, name, "key"];
      byHash.set(keyHash(name), name);
    }
    const members = names.map((name) => `"${name}":true`);
    expect(parse(`{${members}}`)).toEqual(Object.fromEntries(names.map((name) => [name, true])));
    expect(refusalOf(`{${members},${members[1]}}`)).toBe("invalid_json");
  });
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

describe("an escape", () => {
  test.each([...'"\\/bfnrt', "u0000", "u0061", "u00e9", "u00E9", "ud83d", "uFFFF"])("\\%s is its character", (rest) => {
    for (const text of [`"\\${rest}"`, `"a\\${rest}b\\\\\\${rest}"`]) expect(parse(text)).toBe(JSON.parse(text));
  });

  test.each(["", "a", "'", "0", "U0061", "u", "u006", "u00g1", "u+061", "u 061", "u0x1", "\n"])(
    "of which %p follows the backslash is refused",
    (rest) => {
      for (const text of [`"\\${rest}"`, `{"\\${rest}":1}`, `["${rest}\\${rest}`])
        expect(refusalOf(text)).toBe("invalid_json");
    },
  );
});

describe("integers at the edges are exact:", () => {
  const edges = [10n ** 14n, 10n ** 15n, 2n ** 53n, 10n ** 16n, 10n ** 17n, 10n ** 18n, 2n ** 63n - 4n];
  const near = edges.flatMap((edge) => [-3n, -2n, -1n, 0n, 1n, 2n, 3n].map((offset) => edge + offset));

  test.each(near.map(String))("%s, positive and negative", (digits) => {
    expect(parse(digits)).toBe(BigInt(digits));
    expect(parse(`[-${digits}]`)).toEqual([-BigInt(digits)]);
    expect(int64Of(digits)).toBe(BigInt(digits));
    expect(plainInt64(digits)).toBe(BigInt(digits));
  });

  test("the least int64 is one, and what is beyond int64 is not", () => {
    expect(int64Of("-9223372036854775808")).toBe(-(2n ** 63n));
    expect(int64Of("-9223372036854775809")).toBeUndefined();
    expect(int64Of("9223372036854775808")).toBeUndefined();
    expect(plainInt64("9223372036854775808")).toBeUndefined();
    expect(plainInt64("-1")).toBeUndefined();
    expect(plainInt64("00")).toBeUndefined();
  });
});

describe("a JSON text with", () => {
  test.each(Array.from({ length: 32 }, (_, code) => code))(
    "the control character %i in a string is refused",
    (code) => {
      expect(() => parse(`"${String.fromCharCode(code)}"`)).toThrow("is not valid JSON");
      expect(() => parse(`{"${String.fromCharCode(code)}":1}`)).toThrow("is not valid JSON");
    },
  );

  test("the characters after the control characters in a string is accepted", () => {
    for (const text of [" ", "!", "\u007f", "\u0080"]) expect(parse(JSON.stringify(text))).toBe(text);
  });

  test.each(['{"a":1', '[{"a":1]', '{"a":[1}', '{"a":[1', '{"a" 1}', "{a:1}", "{1:1}", "[1 2]", "[]]"])(
    "such brackets, %s, is refused",
    (text) => {
      expect(() => parse(text)).toThrow("is not valid JSON");
    },
  );

  test("32 levels is accepted, and one with 33 refused", () => {
    const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    expect(() => parse(nested(32))).not.toThrow();
    expect(() => parse(nested(33))).toThrow("is nested deeper than 32 levels");
  });
});

describe("a number", () => {
  const digits = fc.tuple(fc.nat(9), fc.nat(10 ** 13)).map(([first, rest]) => String(first || rest));
  const fraction = fc.oneof(
    fc.constant(""),
    fc.nat(10 ** 9).map((value) => `.${value}`),
    fc.constant(".0"),
  );
  const exponent = fc.oneof(
    fc.constant(""),
    fc.integer({ min: -20, max: 20 }).map((value) => `e${value}`),
  );
  const token = fc.tuple(fc.constantFrom("", "-"), digits, fraction, exponent).map((parts) => parts.join(""));

  test("that is short has the same exact value as by its digits", () => {
    const short = token.filter((text) => text.length <= EXACT_DIGITS + 1);
    holds(
      fc.property(short, (text) => {
        expect(numberOf(text)).toBe(int64Of(text) ?? Number(text));
      }),
      5_000,
    );
  });

  test.each([
    ["1e17", 10n ** 17n],
    ["9e18", 9n * 10n ** 18n],
    ["-9.2233720368e18", -9223372036800000000n],
    ["9.2233720369e18", 9.2233720369e18],
    ["999999999999e5", 99999999999900000n],
    ["1e19", 1e19],
    ["-0", 0n],
    ["1e-400", 0],
  ])("%s is %s", (text, value) => {
    expect(numberOf(text)).toBe(value);
  });
});

describe("of a text with a shape", () => {
  const bodies = [...operations, ...administration].flatMap(({ id, request }) =>
    request?.body === undefined ? [] : [[id, request.body] as const],
  );
  const keys = [
    ...[
      "name",
      "categoryId",
      "status",
      "petId",
      "token",
      "role",
      "graceSeconds",
      "plan",
      "limits",
      "scopes",
      "disabled",
    ],
    ...["expiresAt", "perMinute", "perDay", "owner", "email", "note", "__proto__", "other"],
  ];
  const texts = fc.oneof(
    fc.string({ maxLength: 3 }),
    fc.constantFrom("pets:read", "pro", "sold", "Rex", "admin", "approved", "a@b"),
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.oneof(texts, fc.integer({ min: -2, max: 100 }), fc.double(), fc.constantFrom(true, null)),
      fc.array(tie("any"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...keys), tie("any"), { maxKeys: 6 }),
    ),
  })).any;

  describe("a body has the same result without what the schema does not read:", () => {
    test.each(bodies)("%s", (_, schema) => {
      const shape = shapeOf(schema);
      holds(
        fc.property(value, (generated) => {
          const bytes = bytesOf(JSON.stringify(generated));
          const [whole, part] = [schema.safeParse(parseJson(bytes)), schema.safeParse(parseJson(bytes, "", shape))];
          expect(part.data).toEqual(whole.data);
          expect(part.error?.issues).toEqual(whole.error?.issues);
        }),
      );
    });
  });

  test("only what a schema reads is kept", () => {
    const schema = z.object({ name: z.string(), tags: z.array(z.string()).optional() });
    const text = '{"name":[1,{"a":2}],"t\\u0061gs":["a",["b"]],"other":1,"\\u006eam":2}';
    expect(parseJson(bytesOf(text), "", shapeOf(schema))).toStrictEqual({ name: [], tags: ["a", []] });
  });

  test.each([
    ['{"x":[1,]}', "is not valid JSON"],
    ['{"x":{"a":1,"\\u0061":2}}', "names a key twice in one object"],
    ['{"x":1,"x":2}', "names a key twice in one object"],
    ['{"x":"\\u00g0"}', "is not valid JSON"],
    ['{"x":"\\x"}', "is not valid JSON"],
    ['{"x":01}', "is not valid JSON"],
    ['{"x":1.}', "is not valid JSON"],
    [`{"x":${"[".repeat(32)}${"]".repeat(32)}}`, "is nested deeper than 32 levels"],
  ])("what is not kept is checked: %s", (text, problem) => {
    expect(() => parseJson(bytesOf(text), "The text", flatShape([]))).toThrow(problem);
  });
});
