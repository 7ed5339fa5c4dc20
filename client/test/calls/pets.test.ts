import { beforeAll, describe, expect, test } from "bun:test";
import { inspect } from "node:util";
import { besideLoad } from "../../../test/support/eventually.ts";
import { states } from "../../../test/support/markdown.ts";
import { useService } from "../../../test/support/use-service.ts";
import { type PetQuery, PetstoreClient } from "../../src/main.ts";
import { petstoreOf, recorder } from "../support/petstore.ts";

const LARGEST = 9223372036854775807n;
const FIRST_UNSAFE = 9007199254740993n;

const service = useService();

test("a pet is added and found by its id", async () => {
  const petstore = await petstoreOf(service);
  const rex = await petstore.createPet({ name: "Rex", categoryId: 1 });
  expect(rex).toEqual({ id: rex.id, name: "Rex", categoryId: 1, status: "available" });
  expect(await petstore.getPetsByIds([rex.id])).toEqual([rex]);
});

describe("of 250 pets", () => {
  let petstore: PetstoreClient;
  let names: string[];
  beforeAll(async () => {
    petstore = await petstoreOf(service);
    names = Array.from({ length: 250 }, (_, index) => `Paged ${index}`);
    await Promise.all(
      names.map((name, index) => petstore.createPet({ name, categoryId: 7, status: index % 2 ? "sold" : "pending" })),
    );
  });

  test("a page is listed, and `next` leads to the next page", async () => {
    states("client/README.md", "`listPets` returns a single page. Its `next` requests the following page,");
    const first = await petstore.listPets({ status: "sold", limit: 10 });
    expect(first.pets).toHaveLength(10);
    const last = first.pets.at(-1)?.id;
    expect(first.next).toEqual({ limit: 10, status: "sold", after: last ?? -1 });
    const second = await petstore.listPets(first.next);
    expect(second.pets.every(({ id, status }) => id > (last ?? 0) && status === "sold")).toBeTrue();
    states("client/README.md", "Its `next` requests the following page, and is undefined on the last one:");
  });

  test("all are iterated over, each once, for any page size", async () => {
    states("client/README.md", "It pages, waits for limits, retries, and keeps 64-bit integers exact, by default.");
    states("docs/paging.md", "The client reads all pages by itself.");
    states("docs/testing.md", "| There is more than one page | `pets: 50` | Follows `Link` until there is none.");
    states("client/README.md", "`pets` iterates over all matching pets,");
    for (const limit of [undefined, 7, 100]) {
      const found: string[] = [];
      for await (const { name } of petstore.pets({ status: "sold", limit })) found.push(name);
      expect(found.sort()).toEqual(names.filter((_, index) => index % 2).sort());
    }
    states("client/README.md", "iterates over all matching pets, by id, and fetches each page when it is needed.");
  });

  test("all are listed newest first with order desc", async () => {
    const ascending: number[] = [];
    for await (const { id } of petstore.pets({ status: "sold" })) ascending.push(Number(id));
    const newest: number[] = [];
    for await (const { id } of petstore.pets({ status: "sold", order: "desc", limit: 30 })) newest.push(Number(id));
    expect(newest).toEqual(ascending.toReversed());
    const { next } = await petstore.listPets({ order: "desc", limit: 1 });
    expect(next).toMatchObject({ order: "desc", limit: 1 });
    states("client/README.md", 'With `order: "desc"` the newest come first:');
  });

  test("all pages are iterated over, and the iteration continues from where it was left", async () => {
    states(
      "client/README.md",
      "`pages` iterates over all pages,",
      "or `limit`. To continue later, save `next.after`, the position after a page:",
    );
    const sizes: number[] = [];
    let after: PetQuery["after"];
    for await (const { pets, next } of petstore.pages({ status: "sold", limit: 40 })) {
      sizes.push(pets.length);
      after = next?.after;
      if (sizes.length === 2) break;
    }
    expect(sizes).toEqual([40, 40]);
    for await (const { pets } of petstore.pages({ status: "sold", after })) sizes.push(pets.length);
    expect(sizes).toEqual([40, 40, 45]);
    states("client/README.md", "To continue later, save `next.after`, the position after a page:");
  });

  test("the `next` of a page survives JSON", async () => {
    const { next } = await petstore.listPets({ status: "sold", order: "desc", limit: 3 });
    const { pets } = await petstore.listPets(next);
    expect((await petstore.listPets(JSON.parse(JSON.stringify(next)))).pets).toEqual(pets);
  });

  test("all are found by their ids in three requests, in order, each once, without unknown ids", async () => {
    states(
      "client/README.md",
      "`getPetsByIds` takes any number of ids and requests 100 at a time. Unknown ids are left out:",
    );
    const { fetch, requests } = recorder();
    const client = await petstoreOf(service, { fetch });
    const all = [];
    for await (const { id } of petstore.pets()) all.push(id);
    const some = all.slice(0, 240);
    const found = await client.getPetsByIds([...some, ...some, LARGEST].reverse());
    expect(found.map(({ id }) => id)).toEqual(some);
    expect(requests).toHaveLength(3);
    expect(await client.getPetsByIds([])).toEqual([]);
    states("client/README.md", "Unknown ids are left out:");
  });

  test("breaking out of the iteration requests no further page", async () => {
    const { fetch, requests } = recorder();
    const client = await petstoreOf(service, { fetch });
    for await (const pet of client.pets({ limit: 5 })) if (pet !== undefined) break;
    expect(requests).toHaveLength(1);
  });
});

test("all filters are sent, combine, and are kept by `next`", async () => {
  const petstore = await petstoreOf(service);
  const ids = [];
  for (const [name, categoryId] of [
    ["Straße", LARGEST],
    ["STRASSE", LARGEST],
    ["straße", LARGEST],
    ["straße", 8],
    ["Max & Mia=1", LARGEST],
  ] as const) {
    ids.push((await petstore.createPet({ name, categoryId })).id);
  }
  const query = { categoryId: LARGEST, name: "STRAßE", order: "desc", status: "available", ids, limit: 1 } as const;
  const { pets, next } = await petstore.listPets(query);
  expect(pets.map(({ id }) => id)).toEqual([ids[2] ?? -1]);
  expect(next).toMatchObject({ categoryId: LARGEST, order: "desc", status: "available", limit: 1, after: ids[2] });
  expect((await Array.fromAsync(petstore.pets(query))).map(({ id }) => id)).toEqual([ids[2] ?? -1, ids[0] ?? -1]);
  const exact = { name: "max & mia=1" };
  expect((await petstore.listPets(exact)).pets.map(({ name }) => name)).toEqual(["Max & Mia=1"]);
  states(
    "client/README.md",
    "A query may have `status`, `categoryId`, `name` (in any case; `Rex*` for all that begin so) and `ids`; all of them must match.",
  );
});

/** A client whose service answers each list with one of these links, the last one again and again. */
function linked(...links: string[]) {
  let calls = 0;
  const fetch = async () => {
    const link = links[Math.min(calls, links.length - 1)] ?? "";
    calls += 1;
    if (calls > 50) throw new Error("the client follows links without end");
    return new Response("[]", { headers: { Link: link } });
  };
  return new PetstoreClient({ apiKey: "pets_live_x", baseUrl: "http://petstore.test/v1", fetch, waitForLimits: false });
}

test.each([
  '<http://petstore.test/v1/pets?after=7>; rel="prev next"',
  '<http://petstore.test/v1/pets?after=7>; rel="next prefetch"; title="Page 2"',
  '<http://petstore.test/v1/pets?after=7>; title="more"; rel=next',
  '<http://petstore.test/v1/pets?after=7>; rel="Next"',
  '</first>; rel="first", </v1/pets?after=7>; rel = "last  next"',
  '</v1/pets?after=7>; title="x, <b>; \\"rel=prev"; rel="next"',
  '</v1/pets?after=7>; title=""; REL="next"; rel=prev',
  '</other>; title="; rel=next"; rel="prev", </v1/pets?after=7>;rel=next',
])("the next page is found where a link has several relations: %s", async (link) => {
  expect((await linked(link).listPets()).next).toEqual({ after: 7 });
});

test.each([
  '<http://petstore.test/v1/pets?after=7>; rel="nextish prev"',
  "</v1/pets?after=7>; rel=previous",
  '</v1/pets?after=7>; title="; rel=next"; rel="prev"',
  '</v1/pets?after=7>; rel="prev"; rel="next"',
  '</v1/pets?after=7>; title="</v1/pets?after=8>; rel=next',
  "</v1/pets?after=7>, ; rel=next",
  "",
])("another relation is not the next page: %s", async (link) => {
  expect((await linked(link).listPets()).next).toBeUndefined();
});

test.each(["<", "<>", '"', '\\"', "; ", ";rel=", '<a>;rel="x', "\\", ","])(
  "a long header of %p is read in linear time",
  async (part) => {
    const link = `</v1/pets?after=7>; title="${part.repeat(100_000 / part.length)}`;
    for (const header of [link, link.replace('"', ""), link.replace("title", "rel")]) {
      const startedAt = performance.now();
      await linked(header)
        .listPets()
        .catch(() => {});
      // It takes about 0.05 s; in quadratic time it would be half a minute.
      expect(performance.now() - startedAt).toBeLessThan(besideLoad(10_000));
    }
  },
);

const pageAfter = (after: number, order = "") => `</v1/pets?after=${after}${order}>; rel="next"`;
test.each([
  ["the same page", {}, [pageAfter(20), pageAfter(20)]],
  ["an earlier page", {}, [pageAfter(20), pageAfter(40), pageAfter(20)]],
  ["a circle of two", {}, [pageAfter(20), pageAfter(40), pageAfter(20), pageAfter(40)]],
  ["a newer page", { order: "desc" as const }, [pageAfter(40, "&order=desc"), pageAfter(60, "&order=desc")]],
  ["the other order", {}, [pageAfter(20), pageAfter(40, "&order=desc")]],
  ["the first page", {}, [pageAfter(20), '</v1/pets>; rel="next"']],
])("a link that leads to %s ends the iteration with an error, not never", async (_, query, links) => {
  await expect(Array.fromAsync(linked(...links).pages(query))).rejects.toThrow("an invalid link to the next page");
});

test("an invalid idempotency key is not sent", async () => {
  states("client/README.md", "valid for 24 hours; the same key with another pet is refused.");
  const { fetch, requests } = recorder();
  const petstore = await petstoreOf(service, { fetch });
  for (const idempotencyKey of ["", "x".repeat(256), "Bestellung Müller", "a\nb"]) {
    await expect(petstore.createPet({ name: "Rex", categoryId: 1 }, { idempotencyKey })).rejects.toThrow(RangeError);
  }
  expect(requests).toEqual([]);
});

describe("integers are exact:", () => {
  test.each([0, -1, 1, 2 ** 53 - 1, FIRST_UNSAFE, -FIRST_UNSAFE, LARGEST, -LARGEST - 1n])("%p", async (categoryId) => {
    states("docs/testing.md", "| A number is beyond 2^53 |", "| Reads it to the digit. |");
    states(
      "client/README.md",
      "They are numbers if that is exact and bigints otherwise, so every digit is kept.",
      'With `integers: "bigint"` they are always bigints, in the types too.',
    );
    const mixed = await petstoreOf(service);
    const created = await mixed.createPet({ name: '9007199254740993 "and": [1]', categoryId });
    expect(created.categoryId).toBe(categoryId);
    const bigints = await petstoreOf(service, { integers: "bigint" });
    const [same] = await bigints.getPetsByIds([created.id]);
    expect(same).toEqual({ ...created, id: BigInt(created.id), categoryId: BigInt(categoryId) });
    const id: bigint | undefined = same?.id;
    expect(typeof id).toBe("bigint");
  });

  test("a number that may have been rounded is not sent", async () => {
    states(
      "client/README.md",
      "They are numbers if that is exact and bigints otherwise, so every digit is kept.",
      'With `integers: "bigint"` they are always bigints, in the types too. You can pass either;',
      '`integers` | `"mixed"` | `"bigint"` makes every id a bigint.',
    );
    const { fetch, requests } = recorder();
    const petstore = await petstoreOf(service, { fetch });
    const rounded = Number(FIRST_UNSAFE);
    await expect(petstore.createPet({ name: "Rex", categoryId: rounded })).rejects.toThrow(RangeError);
    await expect(petstore.getPetsByIds([rounded])).rejects.toThrow(RangeError);
    await expect(petstore.listPets({ after: rounded })).rejects.toThrow(RangeError);
    expect(requests).toEqual([]);
    states(
      "client/README.md",
      "a number beyond 2⁵³ is refused with a `RangeError`, because it may have been rounded before.",
    );
  });
});

describe("getPet", () => {
  test("returns the pet, and reports once when it will be removed and what replaces it", async () => {
    states(
      "client/README.md",
      "| `onRetry`, `onWait`, `onDeprecation` | | Called when that happens. They must not throw. |",
    );
    states("client/README.md", "`getPet` is deprecated since 20 November 2026 and will be removed on 5 December 2030:");
    const told: unknown[] = [];
    const petstore = await petstoreOf(service, { onDeprecation: (event) => told.push(event) });
    const { id } = await petstore.createPet({ name: "Old", categoryId: 1 });
    expect((await petstore.getPet(id)).name).toBe("Old");
    expect((await petstore.getPet(BigInt(id))).name).toBe("Old");
    expect(told).toEqual([
      {
        operation: "getPet",
        since: new Date("2026-11-20T00:00:00Z"),
        sunset: new Date("2030-12-05T00:00:00Z"),
        successor: `http://petstore.test/v1/pets?ids=${id}`,
      },
    ]);
  });

  test("warns on the console once, without onDeprecation", async () => {
    const warn = console.warn;
    const warnings: string[] = [];
    console.warn = (text: string) => warnings.push(text);
    try {
      const petstore = await petstoreOf(service);
      for (let i = 0; i < 3; i++) await petstore.getPet(1);
    } finally {
      console.warn = warn;
    }
    expect(warnings).toEqual([
      "@petstore/client: getPet is deprecated and will be removed on Thu, 05 Dec 2030 00:00:00 GMT. Use GET http://petstore.test/v1/pets?ids=1 instead.",
    ]);
    states(
      "client/README.md",
      "The first response of a deprecated operation is reported once, on the console or to `onDeprecation`.",
    );
  });
});

describe("a key", () => {
  test("of the other deployment is refused before anything is sent", () => {
    states(
      "client/README.md",
      "| `deployment` | the key's | `production` or `staging`: the deployment that the key must belong to. |",
    );
    states(
      "client/README.md",
      "With `deployment`, the client refuses a key of the other deployment before it sends anything:",
      "the deployment that the key must belong to.",
    );
    const options = { apiKey: `pets_stag_${"x".repeat(39)}`, deployment: "production" } as const;
    expect(() => new PetstoreClient(options)).toThrow("apiKey belongs to staging, but deployment is production.");
    expect(() => new PetstoreClient({ apiKey: "" })).toThrow(TypeError);
    for (const apiKey of ["sk-123", "pets_live_", "pets_live_…", "pets_live_x\r\nHost: y"]) {
      expect(() => new PetstoreClient({ apiKey })).toThrow("pets_live_ or pets_stag_");
    }
    expect(() => new PetstoreClient({ apiKey: "pets_live_x", baseUrl: "shop" })).toThrow(TypeError);
    states("client/README.md", "the client refuses a key of the other deployment before it sends anything:");
  });

  test("does not appear in anything that a program may print", async () => {
    const { secret } = await service.createKey();
    const petstore = await petstoreOf(service, { apiKey: secret, maxRetries: 0 });
    const gone = await petstoreOf(service, { apiKey: secret, maxRetries: 0, baseUrl: "http://127.0.0.1:1/v1" });
    const error = await gone.listPets().catch((reason) => reason);
    const refused = await petstore.listPets({ limit: 0 }).catch((reason) => reason);
    for (const value of [petstore, error, refused]) {
      const inspected = [inspect(value, { depth: 20, showHidden: true }), Bun.inspect(value, { depth: 20 })];
      const printed = inspected.join() + JSON.stringify(value) + String(value?.stack);
      expect(printed).not.toContain(secret.slice(10));
    }
  });

  test("selects the address of its deployment", async () => {
    states(
      "client/README.md",
      "`baseUrl` | `PETSTORE_BASE_URL`, or by the key's deployment | The address of the service.",
      "`apiKey` | `PETSTORE_API_KEY` | The API key.",
    );
    states(
      "client/README.md",
      "The form of the key shows its deployment, which sets the default address of a service on this machine: `http://127.0.0.1:8080/v1` for production, `http://127.0.0.1:8090/v1` for staging.",
    );
    const asked: string[] = [];
    const fetch = async (url: string) => {
      asked.push(url);
      return new Response("[]");
    };
    const rest = "0".repeat(39);
    await new PetstoreClient({ apiKey: `pets_live_${rest}`, fetch }).listPets();
    await new PetstoreClient({ apiKey: `pets_stag_${rest}`, fetch }).listPets();
    expect(asked).toEqual(["http://127.0.0.1:8080/v1/pets", "http://127.0.0.1:8090/v1/pets"]);
    states("client/README.md", "`http://127.0.0.1:8080/v1` for production, `http://127.0.0.1:8090/v1` for staging.");
  });
});
