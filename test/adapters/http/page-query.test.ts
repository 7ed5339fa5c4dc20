import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { openApiDocument } from "../../../src/adapters/http/document.ts";
import { nextQuery, PageQuery, pageOf } from "../../../src/adapters/http/page-query.ts";
import { readQuery } from "../../../src/adapters/http/parameters.ts";
import { PetstoreError } from "../../../src/domain/errors.ts";
import { INT64_MAX, plainInt64 } from "../../../src/domain/int64.ts";
import { MAX_IDS, PAGE, type Page } from "../../../src/domain/pets/listing.ts";
import { PetStatus } from "../../../src/domain/pets/pet.ts";
import { holds } from "../../support/holds.ts";

const int64 = fc.bigInt({ min: 0n, max: INT64_MAX });
const page: fc.Arbitrary<Page> = fc.record(
  {
    limit: fc.integer({ min: 1, max: 100 }),
    after: int64,
    status: fc.constantFrom(...PetStatus.options),
    ids: fc.array(fc.oneof(fc.bigInt({ min: 1n, max: 30n }), fc.bigInt({ min: 1n, max: INT64_MAX })), {
      minLength: 1,
      maxLength: 100,
    }),
  },
  { requiredKeys: ["limit", "after"] },
);

function queryOf({ limit, after, status, ids }: Page): URLSearchParams {
  const query = new URLSearchParams({ limit: String(limit), after: String(after) });
  if (status !== undefined) query.set("status", status);
  if (ids !== undefined) query.set("ids", ids.join(","));
  return query;
}

const readPage = (query: URLSearchParams) => pageOf(readQuery(PageQuery, `/v1/pets?${query}`));

/** The parameters that the query is refused for. */
function refused(query: URLSearchParams): string[] {
  try {
    readPage(query);
    return [];
  } catch (error) {
    if (!(error instanceof PetstoreError) || error.code !== "invalid_parameter") throw error;
    return error.details?.map(({ field }) => field) ?? [];
  }
}

test("a plain integer is digits without a sign or leading zeros, up to the largest int64", () => {
  const text = fc.oneof(
    int64.map(String),
    fc.bigInt({ min: INT64_MAX - 3n, max: INT64_MAX + 3n }).map(String),
    fc.string(),
  );
  holds(
    fc.property(text, (digits) => {
      const isPlain = /^\d+$/.test(digits) && String(BigInt(digits)) === digits && BigInt(digits) <= INT64_MAX;
      expect(plainInt64(digits)).toBe(isPlain ? BigInt(digits) : undefined);
    }),
    1_000,
  );
});

describe("a page", () => {
  test("is read from its query as it is", () => {
    holds(
      fc.property(page, (wanted) => {
        expect(readPage(queryOf(wanted))).toEqual(wanted);
      }),
    );
  });

  test("that follows is the same but for where it begins", () => {
    holds(
      fc.property(page, fc.oneof(fc.nat(30), fc.nat()), (shown, last) => {
        const left = shown.ids?.filter((id) => id > BigInt(last));
        if (left?.length === 0) return;
        const next = readPage(new URLSearchParams(nextQuery(shown, last)));
        expect(next).toEqual({ ...shown, after: BigInt(last), ...(left && { ids: left }) });
      }),
    );
  });
});

describe("a query is refused", () => {
  const field = fc.constantFrom("limit", "status", "after", "ids");
  const bad = fc.constantFrom(
    "",
    " ",
    "-1",
    "1.0",
    "01",
    "1e1",
    "+1",
    "9223372036854775808",
    "AVAILABLE",
    "null",
    "0x1",
  );

  test("for every parameter that is out of bounds, all of them named", () => {
    holds(
      fc.property(fc.uniqueArray(field), bad, (fields, text) => {
        const query = new URLSearchParams(fields.map((name): [string, string] => [name, text]));
        expect(refused(query).sort()).toEqual([...fields].sort());
      }),
    );
  });

  test("for a parameter that is given twice, even with the same value", () => {
    holds(
      fc.property(page, field, (wanted, name) => {
        const query = queryOf(wanted);
        const value = query.get(name);
        if (value === null) return;
        query.append(name, value);
        expect(refused(query)).toEqual([name]);
      }),
    );
  });

  test("never for a parameter that nobody knows", () => {
    holds(
      fc.property(page, fc.string(), fc.string(), (wanted, name, value) => {
        const query = queryOf(wanted);
        if (query.has(name) || ["limit", "status", "after", "ids"].includes(name)) return;
        query.append(name, value);
        expect(readPage(query)).toEqual(wanted);
      }),
    );
  });
});

test("the document states what a page may hold, and how many pets it holds by default", () => {
  const { paths } = openApiDocument({ production: "https://a.example/v1", staging: "https://b.example/v1" });
  const parameters = paths?.["/pets"]?.get?.parameters ?? [];
  expect(parameters.map((parameter) => ("name" in parameter ? [parameter.name, parameter.schema] : []))).toMatchObject([
    ["limit", { type: "integer", minimum: PAGE.min, maximum: PAGE.max, default: PAGE.default }],
    ["status", { enum: [...PetStatus.options] }],
    ["after", { type: "integer", format: "int64", minimum: 0, maximum: INT64_MAX }],
    ["ids", { type: "array", minItems: 1, maxItems: MAX_IDS, items: { format: "int64", minimum: 1 } }],
  ]);
});
