import { expect, test } from "bun:test";
import fc from "fast-check";
import { KeptHeaders } from "../../../src/adapters/listen/bun.ts";

const names = ["Content-Type", "ETag", "Link", "RateLimit", "X-Request-Id", "Connection", "Retry-After"];
const value = fc.constantFrom("", "a", "b", '"minute";r=1;t=60', "close");
const headers = fc.dictionary(fc.constantFrom(...names), value, { noNullPrototype: true });

test("the headers of each response are its own, after any other response", () => {
  fc.assert(
    fc.property(fc.array(headers, { maxLength: 30 }), (responses) => {
      const kept = new KeptHeaders();
      for (const values of responses) expect([...kept.of(values)]).toEqual([...new Headers(values)]);
    }),
    { numRuns: 500 },
  );
});

test("a response keeps its headers when the next one is made", () => {
  const kept = new KeptHeaders();
  const first = new Response(null, { headers: kept.of({ ETag: '"v1"' }) });
  const second = new Response(null, { headers: kept.of({ ETag: '"v2"' }) });
  expect(first.headers.get("ETag")).toBe('"v1"');
  expect(second.headers.get("ETag")).toBe('"v2"');
});

test("a response with an invalid header leaves none of its headers to the next one", () => {
  const kept = new KeptHeaders();
  kept.of({ ETag: '"v1"', Link: "<a>" });
  expect(() => kept.of({ ETag: '"v2"', Link: "<a\nb>" })).toThrow(TypeError);
  expect([...kept.of({ ETag: '"v1"', Link: "<a>" })]).toEqual([...new Headers({ ETag: '"v1"', Link: "<a>" })]);
});
