import { expect, test } from "bun:test";
import { PageCache } from "../../../src/adapters/http/pages.ts";

/** The largest number of characters that the cache may hold. */
const MOST_CHARACTERS = 8_000_000;
/** The number of places for URLs that were requested once. */
const PLACES = 4_096;
const TAG = "x";
const EMPTY = { body: "[]", etag: TAG };

/** A cache at revision 1. */
function newCache(): PageCache {
  const cache = new PageCache();
  cache.get("", 1);
  return cache;
}

/** Adds a page twice: the first time a URL is only noted. */
function addTwice(cache: PageCache, url: string, body: string): void {
  for (let i = 0; i < 2; i++) cache.add(url, 1, { body, etag: TAG });
}

test("a page is cached from its second request to the next revision", () => {
  const cache = newCache();
  cache.add("limit=1", 1, EMPTY);
  expect(cache.get("limit=1", 1)).toBeUndefined();
  cache.add("limit=1", 1, EMPTY);
  expect(cache.get("limit=1", 1)).toEqual(EMPTY);
  expect(cache.get("limit=1", 2)).toBeUndefined();
  expect(cache.get("limit=1", 1)).toBeUndefined();
});

test("a page that was read at an earlier revision is not cached", () => {
  const cache = newCache();
  cache.get("limit=1", 2);
  addTwice(cache, "limit=1", "[]");
  expect(cache.get("limit=1", 2)).toBeUndefined();
});

test("pages are cached up to eight million characters, then all are dropped", () => {
  const cache = newCache();
  const page = "x".repeat(MOST_CHARACTERS / 2 - 2);
  addTwice(cache, "a", page);
  addTwice(cache, "b", page);
  expect(cache.get("a", 1)?.body).toBe(page);
  expect(cache.get("b", 1)?.body).toBe(page);
  addTwice(cache, "c", "12345");
  expect(cache.get("a", 1)).toBeUndefined();
  expect(cache.get("b", 1)).toBeUndefined();
  for (const url of ["d", "e"]) addTwice(cache, url, "[]");
  expect(cache.get("d", 1)?.body).toBe("[]");
  expect(cache.get("e", 1)?.body).toBe("[]");
});

test("empty pages are bounded by their URLs", () => {
  const cache = newCache();
  for (let i = 0; i < 41; i++) addTwice(cache, `${i}`.padEnd(MOST_CHARACTERS / 40, "x"), "");
  expect(cache.get("0".padEnd(MOST_CHARACTERS / 40, "x"), 1)).toBeUndefined();
  expect(cache.get("40".padEnd(MOST_CHARACTERS / 40, "x"), 1)).toBeDefined();
});

test("a URL that was requested once is noted until another takes its place, and pages stay", () => {
  const cache = newCache();
  addTwice(cache, "kept", "[]");
  const url = (i: number) => `/v1/pets?after=${i}`;
  const count = 20 * PLACES;
  for (let i = 0; i < count; i++) cache.add(url(i), 1, EMPTY);
  for (let i = 0; i < count; i++) if (i < 100 || i >= count - 100) cache.add(url(i), 1, EMPTY);
  const cached = (from: number) =>
    Array.from({ length: 100 }, (_, i) => cache.get(url(from + i), 1)).filter((found) => found !== undefined);
  expect(cache.get("kept", 1)).toEqual(EMPTY);
  expect(cached(0)).toEqual([]);
  expect(cached(count - 100).length).toBeGreaterThan(90);
});

test("after a new revision the next request of a URL that was requested before is cached, with what was read then", () => {
  const cache = newCache();
  cache.add("limit=1", 1, EMPTY);
  expect(cache.get("limit=1", 2)).toBeUndefined();
  const page = { body: "[{}]", etag: TAG };
  cache.add("limit=1", 2, page);
  expect(cache.get("limit=1", 2)).toBe(page);
  expect(cache.get("limit=1", 3)).toBeUndefined();
});
