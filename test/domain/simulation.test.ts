import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { PetstoreError, type PublicErrorCode, publicErrors } from "../../src/domain/errors.ts";
import type { Quotas } from "../../src/domain/limits/limits.ts";
import { answerOf, limitedAs, parseSimulation, type Simulation, simulationText } from "../../src/domain/simulation.ts";
import { states } from "../support/markdown.ts";

const codes = Object.keys(publicErrors) as PublicErrorCode[];
const delay = fc.option(fc.integer({ min: 0, max: 30_000 }), { nil: undefined });
const now = fc.integer({ min: Date.parse("0000-01-01T00:00:00Z"), max: Date.UTC(9999, 11, 31) });

const simulations: fc.Arbitrary<Simulation> = fc
  .tuple(
    fc.oneof(
      fc.constantFrom(...codes).map((code): Simulation => ({ code })),
      fc.constantFrom<Simulation>({ cut: "disconnect" }, { cut: "lost-answer" }),
      now.map((at): Simulation => ({ now: at })),
      now.map((at): Simulation => ({ now: at, cut: "lost-answer" })),
      fc.constant<Simulation>({}),
    ),
    delay,
  )
  .map(([one, ms]) => (ms === undefined ? one : { ...one, delay: ms }))
  .filter((one) => Object.keys(one).length > 0);

test("each simulation can be written and read back, with its parts in any order", () => {
  states(
    "docs/rehearsal.md",
    "Separate several by commas. `delay` goes with each of the others, and `lost-answer` with `now`:",
  );
  fc.assert(
    fc.property(simulations, fc.boolean(), (simulation, isReversed) => {
      const parts = simulationText(simulation).split(", ");
      const text = (isReversed ? parts.reverse() : parts).join(" ,");
      expect(parseSimulation(text)).toEqual(simulation);
    }),
  );
});

test("the normal form has its parts in the order in which they take effect", () => {
  const text = "lost-answer,delay=5 , now=2031-01-01T01:00:00+01:00";
  expect(simulationText(parseSimulation(text))).toBe("now=2031-01-01T00:00:00.000Z, delay=5, lost-answer");
});

test("any other text is refused, and a text that is read has a normal form", () => {
  const words = fc.constantFrom("delay=5", "disconnect", "lost-answer", "now=2031-01-01T00:00:00Z", "key_banned", "");
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.array(words).map(String)), (text) => {
      const read = readOrError(text);
      if (read instanceof PetstoreError) expect(read.code).toBe("invalid_parameter");
      else expect(parseSimulation(simulationText(read))).toEqual(read);
    }),
  );
});

test("the longest delay is 30 seconds", () => {
  expect(parseSimulation("delay=30000")).toEqual({ delay: 30_000 });
});

test("a time may have any zone", () => {
  expect(parseSimulation("now=2030-12-05T01:00:00+01:00")).toEqual({ now: Date.UTC(2030, 11, 5) });
});

describe("a problem names what is wrong", () => {
  test("is what the documents say", () => {
    states("docs/rehearsal.md", "Other combinations are 400, and the message says why:");
  });
  const cases: [string, string][] = [
    ["", "must be an error code, delay=<ms>, disconnect, lost-answer or now=<time>"],
    ["toString", "must be an error code, delay=<ms>, disconnect, lost-answer or now=<time>"],
    ["key_not_found", "must be an error code, delay=<ms>, disconnect, lost-answer or now=<time>"],
    ["KEY_BANNED", "must be an error code, delay=<ms>, disconnect, lost-answer or now=<time>"],
    ["key_banned,", "must be an error code, delay=<ms>, disconnect, lost-answer or now=<time>"],
    ["delay=30001", "must have a delay from 0 to 30000 ms, such as delay=2000"],
    ["delay=-1", "must have a delay from 0 to 30000 ms, such as delay=2000"],
    ["delay=01", "must have a delay from 0 to 30000 ms, such as delay=2000"],
    ["delay=1e3", "must have a delay from 0 to 30000 ms, such as delay=2000"],
    ["delay", "must be an error code, delay=<ms>, disconnect, lost-answer or now=<time>"],
    ["now=2030-12-05", "must have a time such as now=2030-12-05T00:00:00Z"],
    ["now=2030-02-30T00:00:00Z", "must have a time such as now=2030-12-05T00:00:00Z"],
    ["now=9999-12-31T23:59:59-00:01", "must have a time such as now=2030-12-05T00:00:00Z"],
    ["now=0000-01-01T00:00:00+00:01", "must have a time such as now=2030-12-05T00:00:00Z"],
    ["delay=1, delay=1", "must have at most one delay"],
    ["key_banned, key_banned", "must have at most one error code"],
    ["not_found, key_banned", "must have at most one error code"],
    ["disconnect, lost-answer", "must have at most one of disconnect and lost-answer"],
    ["key_banned, disconnect", "must not combine key_banned with disconnect"],
    ["lost-answer, delay=1, key_banned", "must not combine key_banned with lost-answer"],
    ["now=2030-12-05T00:00:00Z, key_banned", "must not combine key_banned with now"],
    ["disconnect, now=2030-12-05T00:00:00Z", "must not combine disconnect with now"],
  ];
  test.each(cases)("%p", (text, problem) => {
    const error = readOrError(text);
    expect(error).toBeInstanceOf(PetstoreError);
    expect(error).toMatchObject({
      message: `Header Petstore-Simulate ${problem}.`,
      details: [{ in: "header", field: "Petstore-Simulate", problem }],
    });
  });
});

function readOrError(text: string): Simulation | PetstoreError {
  try {
    return parseSimulation(text);
  } catch (error) {
    if (error instanceof PetstoreError) return error;
    throw error;
  }
}

test("an answer is a value of Petstore-Simulate, in its normal form", () => {
  states("docs/rehearsal.md", "The answer is any value of `Petstore-Simulate`.");
  expect(answerOf("rate_limit_exceeded,delay=5")).toBe("delay=5, rate_limit_exceeded");
  for (const text of ["", "teapot", "delay=30001", "disconnect,lost-answer"]) {
    expect(() => answerOf(text)).toThrow("answer must ");
  }
});

describe("under a simulated refusal,", () => {
  const NOW = Date.UTC(2026, 11, 2, 10) + 250;
  const SECOND = Math.floor(NOW / 1000);
  const minute = { name: "minute" as const, seconds: 60, limit: 60, remaining: 50, resetAt: SECOND + 40 };
  const day = { name: "day" as const, seconds: 86_400, limit: 1_000, remaining: 900, resetAt: SECOND + 4_000 };
  const quotas: Quotas = { now: NOW, shown: minute, windows: [minute, day] };
  const limits = { perMinute: 60, perDay: 1_000 };

  test("the minute is used up, and the day is as it is", () => {
    const usedUp = { ...minute, remaining: 0 };
    expect(limitedAs("rate_limit_exceeded", quotas, limits)).toEqual({
      ...{ outcome: "rate_limit_exceeded", now: NOW, beginsBan: false },
      ...{ shown: usedUp, windows: [usedUp, day] },
    });
  });

  test("the day is used up, and the minute is as it is", () => {
    const usedUp = { ...day, remaining: 0 };
    expect(limitedAs("quota_exceeded", quotas, limits)).toEqual({
      ...{ outcome: "quota_exceeded", now: NOW, beginsBan: false },
      ...{ shown: usedUp, windows: [minute, usedUp] },
    });
  });

  test("a ban is the first of its key, of five minutes, and does not begin", () => {
    const resetAt = SECOND + 1 + 300;
    const shown = { ...minute, remaining: 0, resetAt };
    expect(limitedAs("key_banned", quotas, limits)).toEqual({
      ...{ outcome: "key_banned", now: NOW, beginsBan: false },
      ...{ shown, windows: [shown, { ...day, remaining: 0, resetAt }], withoutBan: [minute, day] },
    });
  });
});
