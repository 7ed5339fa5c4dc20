import { expect, test } from "bun:test";
import { caught } from "../../src/domain/awaitable.ts";

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
