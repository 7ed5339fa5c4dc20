import { expect, test } from "bun:test";
import fc from "fast-check";
import { LimitPage, LimitStates } from "../../../src/domain/limits/limit-states.ts";
import { type LimitState, MAX_LIMIT } from "../../../src/domain/limits/limits.ts";
import { idsOf } from "../../support/changed-states.ts";
import { holds } from "../../support/holds.ts";

const plainWindow = fc.record({ count: fc.nat(MAX_LIMIT), resetAt: fc.nat({ max: 5_000_000_000 }) });
const refusedWindow = fc.record({ count: fc.nat(9), resetAt: fc.nat(9), refusedAt: fc.nat(9_000) });
const plain: fc.Arbitrary<LimitState> = fc.record({ minute: plainWindow, day: plainWindow });
/** Refused by the minute, by the day, or with strikes. */
const others: fc.Arbitrary<LimitState> = fc.oneof(
  fc.record({ minute: refusedWindow, day: plainWindow }),
  fc.record({ minute: plainWindow, day: refusedWindow }),
  fc.record({
    minute: plainWindow,
    day: plainWindow,
    banState: fc.record({ strikes: fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 2 }) }),
  }),
);
/** Keys of two pages. */
/** Small, so that states are on several pages. */
const KEYS_PER_PAGE = 40;

const id = fc.nat(KEYS_PER_PAGE + 30).map((n) => `key_${n}`);
const states = fc.oneof({ weight: 3, arbitrary: plain }, others);
/** A state to set; undefined deletes. */
const change = fc.tuple(id, fc.oneof({ weight: 3, arbitrary: states }, fc.constant(undefined)));
/** A change, a save that works or fails, or a restart from what is saved. */
const step = fc.oneof(
  { weight: 20, arbitrary: change },
  { weight: 2, arbitrary: fc.constant("save") },
  fc.constantFrom("fail to save", "restart"),
);

/** Two stores: one keeps pages, the other the state of each key. */
class Stores {
  readonly #pages = new Map<number, LimitPage>();
  readonly states = new Map<string, LimitState>();

  save(states: LimitStates): void {
    const changed = states.drain();
    for (const [number, page] of states.pagesOf(changed.places)) this.#pages.set(number, copyOf(page));
    for (const id of idsOf(changed)) {
      const state = states.get(id);
      if (state === undefined) this.states.delete(id);
      else this.states.set(id, structuredClone(state));
    }
  }

  load(): LimitStates {
    const pages = [...this.#pages].map(([number, page]) => [number, copyOf(page)] as [number, LimitPage]);
    return new LimitStates(
      pages.sort(([a], [b]) => a - b),
      KEYS_PER_PAGE,
    );
  }
}

function copyOf({ keyIds, numbers, others }: LimitPage): LimitPage {
  const copy = new LimitPage(KEYS_PER_PAGE);
  for (const [place, id] of keyIds.split(" ").entries()) copy.assign(place, id);
  copy.numbers.set(numbers);
  for (const [id, state] of others) copy.others.set(id, structuredClone(state));
  return copy;
}

test("holds the states of a map after any changes, and so do stores that save what changed, by page or by key", () => {
  holds(
    fc.property(fc.array(step, { size: "max", maxLength: 400 }), (steps) => {
      const expected = new Map<string, LimitState>();
      const stores = new Stores();
      let actual = stores.load();
      for (const step of [...steps, "save", "restart"]) {
        if (step === "fail to save") actual.requeue(actual.drain().places);
        else if (step === "save") stores.save(actual);
        else if (step === "restart") {
          stores.save(actual);
          expect(stores.states).toEqual(expected);
          expect([...actual]).toHaveLength(expected.size);
          actual = stores.load();
          expect(new Map(actual)).toEqual(expected);
        } else {
          const [id, state] = step as [string, LimitState | undefined];
          if (state === undefined) {
            expected.delete(id);
            actual.delete(id);
          } else {
            expected.set(id, state);
            actual.set(id, state);
          }
          expect(actual.get(id)).toEqual(state);
        }
      }
      for (const [id, state] of expected) expect(actual.get(id)).toEqual(state);
    }),
  );
});

const some: LimitState = { minute: { count: 1, resetAt: 60 }, day: { count: 1, resetAt: 86_400 } };

test("a plain state is a copy, which counts when it is set", () => {
  const states = new LimitStates([], KEYS_PER_PAGE);
  states.set("key_1", some);
  const state = states.get("key_1");
  if (state !== undefined) state.minute.count = 2;
  expect(states.get("key_1")?.minute.count).toBe(1);
});

test("drain returns the keys of a page together, whichever changed first", () => {
  const states = new LimitStates([], KEYS_PER_PAGE);
  const ids = Array.from({ length: 3 * KEYS_PER_PAGE }, (_, i) => `key_${i}`);
  for (const id of ids) states.set(id, some);
  expect(idsOf(states.drain())).toEqual(ids);
  const [third, first, second] = [2 * KEYS_PER_PAGE, 3, KEYS_PER_PAGE + 9].map((i) => `key_${i}`) as [
    string,
    string,
    string,
  ];
  for (const id of [third, first, second, "key_1"]) states.set(id, some);
  const drained = states.drain();
  expect(idsOf(drained)).toEqual(["key_1", first, second, third]);
  expect([...states.pagesOf(drained.places).keys()]).toEqual([0, 1, 2]);
  expect(states.drain().places).toEqual([]);
});

test("a page keeps its number, also if those before it were never saved", () => {
  const page = new LimitPage(KEYS_PER_PAGE);
  page.assign(0, "key_1");
  page.set(0, some);
  const states = new LimitStates([[2, page]], KEYS_PER_PAGE);
  states.set("key_1", some);
  expect(states.pagesOf(states.drain().places)).toEqual(new Map([[2, page]]));
});

test("the places of removed states are used again, but not before that is saved", () => {
  const states = new LimitStates([], KEYS_PER_PAGE);
  const fill = (from: number) => {
    for (let i = from; i < from + KEYS_PER_PAGE; i++) states.set(`key_${i}`, some);
  };
  fill(0);
  states.drain();
  for (let i = 0; i < KEYS_PER_PAGE; i++) states.delete(`key_${i}`);
  states.requeue(states.drain().places);
  fill(1_000);
  const { places } = states.drain();
  expect([...states.pagesOf(places).keys()]).toEqual([0, 1]);
  expect(places).toHaveLength(2 * KEYS_PER_PAGE);
  states.drain();
  fill(2_000);
  expect([...states.pagesOf(states.drain().places).keys()]).toEqual([0]);
  // The removed ones have no place any more.
  states.set("key_0", some);
  expect([...states.pagesOf(states.drain().places).keys()]).toEqual([2]);
});
