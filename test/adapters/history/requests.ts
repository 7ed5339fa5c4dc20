import fc from "fast-check";
import { RequestBuffer } from "../../../src/adapters/history/buffer.ts";
import type { Decision } from "../../../src/domain/limits/limits.ts";
import type { AnsweredRequest, RequestSegments } from "../../../src/domain/requests.ts";

/** The clock of the requests, in Unix ms. */
export const NOW = Date.UTC(2026, 11, 2, 10);

const quota = (name: "minute" | "day", limit: number) => ({ name, seconds: 60, limit, remaining: 1, resetAt: 0 });
const windows = [quota("minute", 60), quota("day", 1000)];
const decision: Decision = { outcome: "allowed", now: 0, shown: quota("minute", 60), windows, beginsBan: false };

/** A request of `NOW`, unless it says otherwise. */
export function requestOf(given: Partial<AnsweredRequest> = {}): AnsweredRequest {
  return {
    requestId: "r1",
    keyId: "key_1",
    operation: "listPets",
    method: "GET",
    path: "/v1/pets",
    status: 200,
    error: undefined,
    duration: 0.5,
    at: NOW,
    decision,
    ...given,
  };
}

const outcome = fc.constantFrom<Partial<AnsweredRequest>[]>(
  { status: 200 },
  { status: 201, method: "POST", operation: "createPet" },
  { status: 404, error: "pet_not_found", operation: "getPet", path: "/v1/pets/7" },
  { status: 404, error: "not_found", operation: "other", path: "/v1/cats" },
  { status: 429, error: "quota_exceeded" },
  { status: 503, error: "service_unavailable", decision: undefined },
);

/** Requests of two days before `NOW`, many at the same time, by a clock that also goes back. */
export const requests: fc.Arbitrary<AnsweredRequest[]> = fc
  .array(
    fc.record({
      outcome,
      at: fc.oneof(fc.nat(3), fc.nat(90_000), fc.nat(48 * 3_600_000)),
      requestId: fc.constantFrom("r1", "r2", "a-longer-id", "x".repeat(128)),
      keyId: fc.constantFrom(undefined, "key_1", "key_22"),
    }),
    { maxLength: 60, size: "max" },
  )
  .map((all) => all.map(({ outcome, at, ...rest }) => requestOf({ ...rest, ...outcome, at: NOW - at })));

/** Writes the requests `perWrite` at a time, as processes do that end after two writes. */
export async function written(segments: RequestSegments, all: AnsweredRequest[], perWrite: number): Promise<void> {
  let buffer: RequestBuffer | undefined;
  for (let i = 0; i * perWrite < all.length; i++) {
    if (i % 2 === 0) buffer = new RequestBuffer(segments, crypto.randomUUID().slice(0, 8));
    for (const request of all.slice(i * perWrite, (i + 1) * perWrite)) buffer?.record(request);
    await buffer?.write();
  }
}
