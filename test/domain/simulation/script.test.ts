import { expect, test } from "bun:test";
import { answerOf } from "../../../src/domain/simulation.ts";

test("an answer is a value of Petstore-Simulate, in its normal form", () => {
  expect(answerOf("rate_limit_exceeded,delay=5")).toBe("delay=5, rate_limit_exceeded");
  for (const text of ["", "teapot", "delay=30001", "disconnect,lost-answer"]) {
    expect(() => answerOf(text)).toThrow("answer must ");
  }
});
