import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { openApiDocument } from "../../../src/adapters/http/document.ts";
import {
  CategoriesQuery,
  nextQuery,
  OrdersQuery,
  PageQuery,
  pageOf,
  withLimit,
} from "../../../src/adapters/http/paging.ts";
import { readQuery } from "../../../src/adapters/http/parameters.ts";
import { PetstoreError } from "../../../src/domain/errors.ts";
import { INT64_MAX, INT64_MIN, plainInt64 } from "../../../src/domain/int64.ts";
import { OrderStatus } from "../../../src/domain/orders.ts";
import { directions, MAX_IDS, PAGE, type Page, PetStatus, petNameFilter } from "../../../src/domain/pets.ts";
import { holds } from "../../support/holds.ts";

const int64 = fc.bigInt({ min: 0n, max: INT64_MAX });
const page: fc.Arbitrary<Page> = fc.record(
  {
    limit: fc.integer({ min: 1, max: 100 }),
    after: int64,
    order: fc.constantFrom(...directions),
    status: fc.constantFrom(...PetStatus.options),
    ids: fc.uniqueArray(fc.oneof(fc.bigInt({ min: 1n, max: 30n }), fc.bigInt({ min: 1n, max: INT64_MAX })), {
      minLength: 1,
      maxLength: 100,
    }),
    categoryId: fc.oneof(fc.constantFrom(INT64_MIN, -1n, 0n, INT64_MAX), fc.bigInt({ min: INT64_MIN, max: INT64_MAX })),
    name: fc
      .oneof(fc.constantFrom("a&b=c", "50 %+", "\u{1F415}", '"#?'), fc.string({ unit: "grapheme" }))
      .filter(petNameFilter.isValid),
  },
  { requiredKeys: ["limit", "after", "order"] },
);

function queryOf({ limit, after, order = "asc", status, ids, categoryId, name }: Page): URLSearchParams {
  const query = new URLSearchParams({ limit: String(limit), after: String(after), order });
  if (status !== undefined) query.set("status", status);
  if (categoryId !== undefined) query.set("categoryId", String(categoryId));
  if (name !== undefined) query.set("name", name);
  if (ids !== undefined) query.set("ids", ids.join(","));
  return query;
}

const readPage = (query: URLSearchParams) => pageOf(readQuery(PageQuery, `/v1/pets?${query}`));

/** What a query is read as, or the problems for which it is refused. */
function outcomeOf(query: string): unknown {
  try {
    return readQuery(PageQuery, `/v1/pets?${query}`);
  } catch (error) {
    if (!(error instanceof PetstoreError)) throw error;
    return error.details;
  }
}

describe("a query has one meaning, whether or not it has escapes elsewhere:", () => {
  const words = [
    "?",
    "&",
    "=",
    "#",
    "/",
    ";",
    ",",
    "status",
    "sold",
    "limit",
    "7",
    "ids",
    "1",
    "name",
    "Rex*",
    "[]",
    "%3F",
    "+",
  ];
  const text = fc.oneof(
    fc.array(fc.constantFrom(...words), { maxLength: 12 }).map((parts) => parts.join("")),
    fc.string({ unit: "binary-ascii" }),
    fc.webQueryParameters(),
  );
  test.each(["?status=sold", "??status=sold", "status=sold&?limit=1", "=&&=1"])("%s", (query) => {
    for (const other of ["x=%20", "x=+", "x[]="]) expect(outcomeOf(`${query}&${other}`)).toEqual(outcomeOf(query));
  });
  test("any query", () => {
    holds(fc.property(text, (query) => expect(outcomeOf(`${query}&x=%20`)).toEqual(outcomeOf(query))));
  });
  test("a second question mark belongs to the name of an unknown parameter", () => {
    expect(outcomeOf("?status=sold&x=%20")).toEqual(outcomeOf(""));
  });
});

/** The parameters for which the query is refused. */
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
  test("is read unchanged from its query", () => {
    holds(
      fc.property(page, (wanted) => {
        expect(readPage(queryOf(wanted))).toEqual(wanted);
      }),
    );
  });

  test("that follows differs only in its start", () => {
    holds(
      fc.property(page, fc.oneof(fc.nat(30), fc.nat()), (shown, last) => {
        const left = shown.ids?.filter((id) => (shown.order === "desc" ? id < BigInt(last) : id > BigInt(last)));
        if (left?.length === 0) return;
        const next = readPage(new URLSearchParams(nextQuery(shown, last)));
        expect(next).toEqual({ ...shown, after: BigInt(last), ...(left && { ids: left }) });
      }),
    );
  });

  test("is the same however its ids are written", () => {
    const forms = fc.array(fc.constantFrom("ids", "ids[]", "ids[0]", "ids[17]"), { minLength: 100, maxLength: 100 });
    holds(
      fc.property(page, forms, fc.boolean(), (wanted, names, isSplit) => {
        const query = queryOf({ ...wanted, ids: undefined });
        const values = isSplit ? wanted.ids?.map(String) : wanted.ids && [wanted.ids.join(",")];
        for (const [i, value] of values?.entries() ?? []) query.append(names[i] ?? "ids", value);
        const { ids, ...others } = readPage(query);
        expect(others).toEqual({ ...wanted, ids: undefined } as typeof others);
        expect(ids?.toSorted()).toEqual(wanted.ids?.toSorted());
      }),
    );
  });

  test("begins at the start of its order, and holds all of its ids", () => {
    const read = (text: string) => readPage(new URLSearchParams(text));
    expect(read("")).toEqual({ limit: 20, after: 0n, order: "asc" });
    expect(read("order=desc")).toEqual({ limit: 20, after: INT64_MAX, order: "desc" });
    const ids = Array.from({ length: 100 }, (_, i) => BigInt(i + 1));
    expect(read(`ids=${ids}`)).toEqual({ limit: 100, after: 0n, order: "asc", ids });
    expect(read(`ids=${ids}&limit=2`).limit).toBe(2);
  });
});

/** A page of any list, with its parameters in the order of its query. */
const anyId = fc.bigInt({ min: INT64_MIN, max: INT64_MAX });
const ids = (id: fc.Arbitrary<bigint>) => fc.uniqueArray(id, { minLength: 1, maxLength: 100 });
const categoriesPage = fc.record(
  {
    limit: fc.integer({ min: 1, max: 100 }),
    after: anyId,
    ids: ids(fc.oneof(fc.bigInt({ min: -20n, max: 20n }), anyId)),
    name: fc.constantFrom("Dogs", "a&b=c", "50 %+", "\u{1F415}", "x, y"),
  },
  { requiredKeys: ["limit"] },
);
const positive = fc.bigInt({ min: 1n, max: INT64_MAX });
const ordersPage = fc.record(
  {
    limit: fc.integer({ min: 1, max: 100 }),
    status: fc.constantFrom(...OrderStatus.options),
    petId: positive,
    after: int64,
    ids: ids(fc.oneof(fc.bigInt({ min: 1n, max: 30n }), positive)),
  },
  { requiredKeys: ["limit"] },
);

describe("a page of categories or orders", () => {
  const readCategories = (query: string) => withLimit(readQuery(CategoriesQuery, `/v1/categories?${query}`));
  const readOrders = (query: string) => withLimit(readQuery(OrdersQuery, `/v1/store/orders?${query}`));
  const textOf = (shown: object) =>
    Object.entries(shown)
      .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
      .join("&");

  test("is read unchanged from its query", () => {
    holds(fc.property(categoriesPage, (wanted) => expect(readCategories(textOf(wanted))).toEqual(wanted)));
    holds(fc.property(ordersPage, (wanted) => expect(readOrders(textOf(wanted))).toEqual(wanted)));
  });

  test("that follows differs only in its start", () => {
    holds(
      fc.property(categoriesPage, fc.oneof(fc.bigInt({ min: -20n, max: 20n }), anyId), (shown, last) => {
        const left = shown.ids?.filter((id) => id > last);
        if (left?.length === 0) return;
        expect(readCategories(nextQuery(shown, last))).toEqual({ ...shown, after: last, ...(left && { ids: left }) });
      }),
    );
    holds(
      fc.property(ordersPage, fc.nat(40), (shown, last) => {
        const left = shown.ids?.filter((id) => id > last);
        if (left?.length === 0) return;
        const next = { ...shown, after: BigInt(last), ...(left && { ids: left }) };
        expect(readOrders(nextQuery(shown, last))).toEqual(next);
      }),
    );
  });

  test("begins at the start, and holds all of its ids", () => {
    expect(readCategories("")).toEqual({ limit: 20 });
    expect(readOrders("")).toEqual({ limit: 20 });
    expect(readOrders("ids=3,1,2").limit).toBe(3);
    expect(readOrders("ids=3,1,3")).toEqual({ limit: 2, ids: [3n, 1n] });
    expect(readCategories("ids=-3,1&limit=9").limit).toBe(9);
  });
});

describe("a query is refused", () => {
  const field = fc.constantFrom("limit", "status", "after", "order", "ids");
  const single = fc.constantFrom("limit", "status", "after", "order", "categoryId", "name");
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

  test("for every parameter that is out of bounds, all of them reported", () => {
    holds(
      fc.property(fc.uniqueArray(field), bad, (fields, text) => {
        const query = new URLSearchParams(fields.map((name): [string, string] => [name, text]));
        expect(refused(query).sort()).toEqual([...fields].sort());
      }),
    );
  });

  test("for a parameter with one value that is given twice, even with the same value", () => {
    holds(
      fc.property(page, single, (wanted, name) => {
        const query = queryOf(wanted);
        const value = query.get(name);
        if (value === null) return;
        query.append(name, value);
        expect(refused(query)).toEqual([name]);
      }),
    );
  });

  test("never for an unknown parameter", () => {
    holds(
      fc.property(page, fc.string(), fc.string(), (wanted, name, value) => {
        const query = queryOf(wanted);
        const [known = ""] = name.split("[", 1);
        if (["limit", "status", "after", "order", "ids", "categoryId", "name"].includes(known)) return;
        query.append(name, value);
        expect(readPage(query)).toEqual(wanted);
      }),
    );
  });
});

test("the document states the bounds and the default of a page's size", () => {
  const { paths, components } = openApiDocument({
    production: "https://a.example/v1",
    staging: "https://b.example/v1",
  });
  const parameters = paths?.["/pets"]?.get?.parameters ?? [];
  const inQuery = parameters.filter((parameter) => "in" in parameter && parameter.in === "query");
  expect(inQuery.map((parameter) => ("name" in parameter ? [parameter.name, parameter.schema] : []))).toMatchObject([
    ["limit", { type: "integer", minimum: PAGE.min, maximum: PAGE.max, default: PAGE.default }],
    ["status", { $ref: "#/components/schemas/PetStatus" }],
    ["after", { type: "integer", format: "int64", minimum: 0, maximum: INT64_MAX }],
    ["order", { $ref: "#/components/schemas/ListOrder", default: "asc" }],
    ["ids", { type: "array", minItems: 1, maxItems: MAX_IDS, items: { format: "int64", minimum: 1 } }],
    ["categoryId", { type: "integer", format: "int64", minimum: INT64_MIN, maximum: INT64_MAX }],
    ["name", { type: "string" }],
  ]);
  expect(components?.schemas?.PetStatus).toMatchObject({ enum: [...PetStatus.options] });
  expect(components?.schemas?.ListOrder).toMatchObject({ enum: [...directions] });
});

test("the schema of a query cannot compare parameters, which are parsed one by one", () => {
  const schema = PageQuery.refine(({ limit }) => limit !== 1);
  expect(() => readQuery(schema, "/v1/pets?limit=1")).toThrow("must not compare its parameters");
});
