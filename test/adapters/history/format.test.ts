import { expect, test } from "bun:test";
import { BatchWriter, summaryOf } from "../../../src/adapters/history/format.ts";
import type { Batch } from "../../../src/domain/requests.ts";
import { MAX_KEPT_TEXT } from "../../../src/domain/requests.ts";
import { requestOf } from "./requests.ts";

const SIZE = 8 * 1024;

function batchIn(buffer: ArrayBuffer, requestIds: string[]): Batch {
  const writer = new BatchWriter(buffer);
  for (const requestId of requestIds) writer.add(requestOf({ requestId }));
  return writer.take();
}

test("a batch has the bytes of its buffer, and none of an earlier batch there", () => {
  const buffer = new ArrayBuffer(SIZE);
  const earlier = batchIn(buffer, ["first", "other"]);
  const later = batchIn(buffer, ["later"]);
  expect(earlier.bytes.buffer).toBe(buffer);
  expect(later.bytes.buffer).toBe(buffer);
  expect(later).toEqual(batchIn(new ArrayBuffer(SIZE), ["later"]));
});

test("a batch has room for a request with the longest texts until it says otherwise", () => {
  const text = "x".repeat(MAX_KEPT_TEXT);
  const request = requestOf({ requestId: text, keyId: text, path: text, operation: text, method: text });
  for (let size = SIZE; size < SIZE + 1_024; size += 8) {
    const writer = new BatchWriter(new ArrayBuffer(size));
    while (writer.hasRoom) writer.add(request);
    expect(writer.take().bytes.length).toBeLessThanOrEqual(size);
  }
});

test("a length that is less than that of a batch ends the segment there", () => {
  const [first = Buffer.of(), second = Buffer.of()] = ["first", "second"].map((id) =>
    Buffer.from(batchIn(new ArrayBuffer(SIZE), [id]).bytes),
  );
  const alone = summaryOf("a", first);
  const both = Buffer.concat([first, second]);
  expect(summaryOf("a", both)).toEqual({ ...alone, count: 2 });
  for (const length of [0, 1, 5, 11, 12, 39]) {
    both.writeUInt32LE(length, first.length + 4);
    expect(summaryOf("a", both)).toEqual(alone);
  }
});
