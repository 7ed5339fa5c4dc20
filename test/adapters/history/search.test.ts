import { expect, test } from "bun:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { RequestBuffer } from "../../../src/adapters/history/buffer.ts";
import { historyIn, searchRequests } from "../../../src/adapters/history/search.ts";
import { MemoryRequestSegments } from "../../../src/adapters/history/segments.ts";
import {
  type AnsweredRequest,
  type PastRequest,
  type RequestFilter,
  type RequestSegments,
  type Retention,
  SEGMENT_ID,
} from "../../../src/domain/requests.ts";
import { states } from "../../support/markdown.ts";
import { NOW, requestOf, requests, written } from "./requests.ts";

const ALL: Retention = { requests: 1_000, hours: 72 };
const time = fc.oneof(fc.nat(3), fc.nat(48 * 3_600_000)).map((before) => NOW - before);
const filters: fc.Arbitrary<RequestFilter> = fc.record(
  {
    requestId: fc.constantFrom("r1", "x".repeat(128), "r3"),
    keyIds: fc.constantFrom(["key_1"], ["key_22", "key_1"], ["key_2"], []),
    operation: fc.constantFrom(["listPets"], ["getPet", "other"], ["putCategory"]),
    status: fc.constantFrom(["404"], ["4xx"], ["200", "5xx"], ["302"]),
    error: fc.constantFrom(["pet_not_found"], ["not_found", "quota_exceeded"], ["key_banned"]),
    from: time,
    to: time,
  },
  { requiredKeys: [] },
);

/** Whether a request must be found, decided field by field. */
function isMatch(request: AnsweredRequest, filter: RequestFilter): boolean {
  const { requestId, keyIds, operation, status, error, from = 0, to = Infinity } = filter;
  const class_ = `${String(request.status)[0]}xx`;
  return (
    (requestId === undefined || request.requestId === requestId) &&
    (keyIds === undefined || keyIds.includes(request.keyId ?? "")) &&
    (operation === undefined || operation.includes(request.operation)) &&
    (status === undefined || status.includes(String(request.status)) || status.includes(class_)) &&
    (error === undefined || error.includes(request.error ?? "")) &&
    request.at >= from &&
    request.at < to
  );
}

async function allPages(segments: RequestSegments, filter: RequestFilter, limit: number, retention = ALL) {
  const found: PastRequest[] = [];
  for (let before: string | undefined; ; before = found.at(-1)?.id) {
    const page = await searchRequests(segments, { ...filter, limit, before }, retention, NOW);
    found.push(...page);
    if (page.length < limit) return found;
  }
}

const shown = ({ requestId, at, keyId, operation, status, error }: AnsweredRequest | PastRequest) =>
  JSON.stringify([at, requestId, keyId, operation, status, error]);

test("a character that is not ASCII becomes no other one", async () => {
  const segments = new MemoryRequestSegments();
  await written(segments, [requestOf({ path: "/v1/\u202e\u0170ets/\u017f\ud83d\ude00\u0001" })], 1);
  const [found] = await searchRequests(segments, { limit: 1 }, ALL, NOW);
  expect(found?.path).toBe("/v1/??ets/????");
});

test("the pages of a search have exactly the matching requests, each once, newest first", async () => {
  await fc.assert(
    fc.asyncProperty(requests, filters, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }), search),
    { numRuns: 200 },
  );

  async function search(all: AnsweredRequest[], filter: RequestFilter, limit: number, perWrite: number) {
    const segments = new MemoryRequestSegments();
    await written(segments, all, perWrite);
    const found = await allPages(segments, filter, limit);
    const expected = all.filter((request) => isMatch(request, filter));
    expect(found.map(shown).sort()).toEqual(expected.map(shown).sort());
    expect(found.map(({ at }) => at)).toEqual(expected.map(({ at }) => at).sort((a, b) => b - a));
    expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
  }
});

test("a search finds the newest requests, never more than are kept, and none that is too old", async () => {
  states("docs/monitoring.md", "More than `PETSTORE_REQUEST_HISTORY` requests, or older ones, are not found");
  await fc.assert(
    fc.asyncProperty(
      requests,
      fc.integer({ min: 0, max: 70 }),
      fc.integer({ min: 1, max: 50 }),
      fc.option(time, { nil: undefined }),
      async (all, kept, hours, from) => {
        const segments = new MemoryRequestSegments();
        const inOrder = all.toSorted((a, b) => a.at - b.at);
        // One process: with several, which are the newest depends on when each wrote.
        await written(segments, inOrder, 1_000);
        const found = await allPages(segments, { from }, 10, { requests: kept, hours });
        const expected = inOrder
          .slice(Math.max(0, all.length - kept))
          .filter(({ at }) => at >= Math.max(NOW - hours * 3_600_000, from ?? 0));
        expect(found.map(({ at }) => at)).toEqual(expected.map(({ at }) => at).reverse());
      },
    ),
    { numRuns: 100 },
  );
});

test("a request keeps what it was given", async () => {
  states("docs/monitoring.md", "What a rehearsal simulated");
  const segments = new MemoryRequestSegments();
  const simulation = { code: "key_banned", delay: 5 } as const;
  await written(segments, [requestOf({ simulation, duration: 12.3456 })], 1);
  const [id] = (await segments.list()).map(({ id }) => id);
  expect(id).toMatch(SEGMENT_ID);
  expect(await allPages(segments, {}, 1)).toEqual([
    {
      id: `${NOW}_${id}_40`,
      requestId: "r1",
      at: NOW,
      keyId: "key_1",
      operation: "listPets",
      method: "GET",
      path: "/v1/pets",
      status: 200,
      error: undefined,
      duration: 12.345,
      simulated: "delay=5, key_banned",
      minute: { limit: 60, remaining: 1 },
      day: { limit: 1000, remaining: 1 },
    },
  ]);
});

test("damage costs requests, and nothing else", async () => {
  states("docs/development/stores.md", "a search skips a damaged batch, and another version reads it.");
  await fc.assert(
    fc.asyncProperty(
      requests,
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 3 }),
      async (all, damage) => {
        const segments = new MemoryRequestSegments();
        await written(segments, all, 5);
        for (const { id } of await segments.list()) {
          const bytes = await segments.read(id);
          for (const [at, byte] of damage) bytes?.fill(byte, at % bytes.length, (at % bytes.length) + 1);
        }
        const known = new Set(all.map(shown));
        for (const one of await allPages(segments, {}, 7)) expect(known).toContain(shown(one));
      },
    ),
    { numRuns: 200 },
  );
});

test("a segment that ends within a batch has the batches before it", async () => {
  const segments = new MemoryRequestSegments();
  await written(segments, [requestOf({ requestId: "first" })], 1);
  const [{ id = "" } = {}] = await segments.list();
  const bytes = (await segments.read(id)) ?? new Uint8Array();
  for (let length = 0; length < bytes.length; length += 7) {
    await segments.append(id, bytes.length, { bytes: bytes.slice(0, length), count: 1, oldest: NOW, newest: NOW });
    expect((await allPages(segments, {}, 5)).map(({ requestId }) => requestId)).toEqual(["first"]);
  }
});

test("requests of one moment in several segments are each on one page", async () => {
  const segments = new MemoryRequestSegments();
  for (const requestId of ["a", "b", "c"]) await written(segments, [requestOf({ requestId })], 1);
  expect((await allPages(segments, {}, 1)).map(({ requestId }) => requestId).sort()).toEqual(["a", "b", "c"]);
});

test("requests of one moment are each on one page, also if one segment goes on later", async () => {
  for (const [longer, shorter] of [
    ["00000000", "ffffffff"],
    ["ffffffff", "00000000"],
  ] as const) {
    const segments = new MemoryRequestSegments();
    const buffers = [new RequestBuffer(segments, longer), new RequestBuffer(segments, shorter)];
    for (const buffer of buffers) {
      buffer.record(requestOf({ at: NOW - 5, requestId: "of one moment" }));
      await buffer.write();
    }
    buffers[0]?.record(requestOf({ at: NOW - 1, requestId: "later" }));
    await buffers[0]?.write();
    for (const limit of [1, 2]) {
      const found = await allPages(segments, {}, limit);
      expect(found.map(({ requestId }) => requestId)).toEqual(["later", "of one moment", "of one moment"]);
      expect(new Set(found.map(({ id }) => id)).size).toBe(3);
    }
  }
});

test("a search reads no segment that has no request of its page", async () => {
  states("docs/development/stores.md", "a search reads segment by segment, from the newest.");
  const segments = new MemoryRequestSegments();
  const hours = [3, 2, 1, 0].map((hour) => NOW - hour * 3_600_000);
  for (const at of hours) await written(segments, [requestOf({ at }), requestOf({ at: at + 1 })], 2);
  let reads = 0;
  const counted = {
    list: () => segments.list(),
    read: (id: string) => {
      reads += 1;
      return segments.read(id);
    },
  };
  /** How many segments the search for a page reads. */
  const readsOf = async (page: RequestFilter & { before?: string }) => {
    reads = 0;
    const found = await searchRequests(counted, { limit: 2, ...page }, ALL, NOW);
    expect(found).toHaveLength(2);
    return { reads, before: found.at(-1)?.id ?? "" };
  };
  const first = await readsOf({});
  expect(first.reads).toBe(1);
  // The segment of the request before is among them.
  const second = await readsOf({ before: first.before });
  expect(second.reads).toBe(2);
  expect((await readsOf({ before: second.before })).reads).toBe(2);
  expect((await readsOf({ to: NOW - 2.5 * 3_600_000 })).reads).toBe(1);
  expect((await readsOf({ to: NOW - 2.5 * 3_600_000, before: first.before })).reads).toBe(1);
  expect((await readsOf({ from: NOW - 1_000 })).reads).toBe(1);
});

test("a page has the newest requests, also if an older one was written before them", async () => {
  const segments = new MemoryRequestSegments();
  await written(segments, [requestOf({ at: NOW - 1 }), requestOf({ at: NOW - 9 })], 2);
  await written(segments, [requestOf({ at: NOW - 8 })], 2);
  const page = await searchRequests(segments, { limit: 2 }, ALL, NOW);
  expect(page.map(({ at }) => NOW - at)).toEqual([1, 8]);
});

test("a search has what this process had not written before, and also works while it cannot be written", async () => {
  const segments = new MemoryRequestSegments();
  const [kept, clock] = [{ ...ALL, share: 1 }, () => NOW];
  const write = async () => {
    await nextTurn();
    await written(segments, [requestOf()], 1);
  };
  expect(await historyIn(segments, kept, clock, write).search({ limit: 1 })).toHaveLength(1);
  const fail = () => Promise.reject(new Error("the disk is full"));
  expect(await historyIn(segments, kept, clock, fail).search({ limit: 1 })).toHaveLength(1);
});

test("the beginning of a time range is in it, and its end is not", async () => {
  const segments = new MemoryRequestSegments();
  await written(
    segments,
    [5, 4, 3, 2].map((before) => requestOf({ at: NOW - before })),
    4,
  );
  const found = await allPages(segments, { from: NOW - 4, to: NOW - 2 }, 10);
  expect(found.map(({ at }) => NOW - at)).toEqual([3, 4]);
});
