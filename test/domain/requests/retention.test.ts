import { expect, test } from "bun:test";
import { expiredSegments } from "../../../src/domain/requests/format.ts";
import { NOW } from "./requests.ts";

const HOUR = 3_600_000;

function segment(id: string, hoursAgo: number, count = 10) {
  return { id, count, oldest: NOW - hoursAgo * HOUR, newest: NOW - hoursAgo * HOUR };
}

test("a segment is expired when nothing of it is kept: it is too old, or the newer ones have enough requests", () => {
  const segments = [segment("oldest", 30), segment("third", 3), segment("second", 2), segment("newest", 1)];
  const expired = (requests: number) => expiredSegments(segments, { requests, hours: 24 }, NOW);
  expect(expired(21)).toEqual(["oldest"]);
  expect(expired(20)).toEqual(["oldest", "third"]);
  expect(expired(1)).toEqual(["oldest", "third", "second"]);
});
