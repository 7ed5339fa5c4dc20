import { expect, test } from "bun:test";
import { searchRequests } from "../../src/adapters/history/search.ts";
import { MemoryRequestSegments } from "../../src/adapters/history/segments.ts";
import { pacedSegments } from "../../src/wiring/background-tasks.ts";
import { NOW, requestOf, written } from "../adapters/history/requests.ts";

const SEGMENTS = 20;

test("a search finds the same with pauses, and one of the whole history pauses at each segment", async () => {
  const segments = new MemoryRequestSegments();
  for (let i = 0; i < SEGMENTS; i++) await written(segments, [requestOf({ requestId: `r${i}`, at: NOW - i })], 1);
  const retention = { requests: 1_000, hours: 1 };
  const search = (requestId: string) =>
    searchRequests(pacedSegments(segments), { limit: 1, requestId }, retention, NOW);
  expect(await search("r7")).toMatchObject([{ requestId: "r7" }]);
  const startedAt = performance.now();
  expect(await search("absent")).toEqual([]);
  expect(performance.now() - startedAt).toBeGreaterThan(SEGMENTS * 3.6);
});
