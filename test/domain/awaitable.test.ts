import { expect, test } from "bun:test";
import { after, caught, observed } from "../../src/domain/awaitable.ts";

const handle = (error: unknown) => `handled ${error}`;
const fail = (): string => {
  throw "thrown";
};

test("a value stays a value, and a promise a promise", async () => {
  expect(caught(() => "value", handle)).toBe("value");
  expect(await caught(() => Promise.resolve("promised"), handle)).toBe("promised");
});

test("an error that is thrown is handled at once, a rejection when it comes", async () => {
  expect(caught(fail, handle)).toBe("handled thrown");
  expect(await caught(() => Promise.reject("rejected"), handle)).toBe("handled rejected");
});

test("what comes after a value comes at once, after a promise when it resolves, and after an error never", async () => {
  expect(after("value", (value) => `after ${value}`)).toBe("after value");
  expect(await after(Promise.resolve("promised"), (value) => `after ${value}`)).toBe("after promised");
  await expect(after(Promise.reject("rejected"), fail)).rejects.toBe("rejected");
});

test("who observes a call learns once that it has ended, with its error, and changes nothing of it", async () => {
  const ends: unknown[][] = [];
  const ended = (...thrown: unknown[]) => void ends.push(thrown);
  expect(observed(() => "value", ended)).toBe("value");
  expect(ends).toEqual([[]]);
  expect(() => observed(fail, ended)).toThrow("thrown");
  expect(ends).toEqual([[], [{ error: "thrown" }]]);
  const { promise, resolve } = Promise.withResolvers<string>();
  const result = observed(() => promise, ended);
  expect(ends).toHaveLength(2);
  resolve("promised");
  expect(await result).toBe("promised");
  await expect(observed(() => Promise.reject("rejected"), ended)).rejects.toBe("rejected");
  expect(ends.slice(2)).toEqual([[], [{ error: "rejected" }]]);
});
