import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { PetstoreError, type PublicErrorCode, publicErrors } from "../../../src/domain/errors.ts";
import { parseSimulation, type Simulation, simulationText } from "../../../src/domain/simulation.ts";

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
