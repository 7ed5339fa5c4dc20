import type { Checkout, Outcome } from "./checkout.ts";
import type { Mutant, Sources } from "./mutant.ts";

/** How long a test file may take without a fault, in ms. */
const TIMEOUT = 240_000;

/** What the tests do without a fault. */
export type Coverage = {
  /** The tests that reach a mutant in code; none for others. */
  testsOf(mutant: Mutant): string[];
  /** How long a test takes, in ms. */
  tookOf(test: string): number;
  /** The tests that pass without a fault, as far as is known. */
  passing: Set<string>;
  /** The tests that fail without a fault, and how. */
  failing: Map<string, string>;
};

/**
 * Runs each test file in a process of its own, and finds out which of these mutants it reaches: also in the services that
 * it starts, which a runtime's coverage does not see.
 */
export async function cover(
  checkouts: Checkout[],
  mutants: Mutant[],
  sources: Sources,
  tests: string[],
): Promise<Coverage> {
  const reaching = mutants.map(() => new Set<string>());
  const outcomes = new Map<string, Outcome>();
  const files = [...new Set(mutants.flatMap(({ file, reached }) => (reached === undefined ? [] : [file])))];
  const probed = (probe: string) =>
    new Map(files.map((file) => [file, `${withProbes(file, sources.get(file) ?? "", mutants)}\n${probe}`]));
  for (const checkout of checkouts) checkout.plant(probed(checkout.probe));
  await shared(tests, checkouts, async (test, checkout) => {
    checkout.takeReached();
    outcomes.set(test, await checkout.run([test], TIMEOUT));
    for (const name of checkout.takeReached()) reaching[Number(name)]?.add(test);
  });
  for (const checkout of checkouts) checkout.restore(files);
  // Some tests look at the sources, which are now as they should be.
  const failed = tests.filter((test) => outcomes.get(test)?.failure !== undefined);
  await shared(failed, checkouts, async (test, checkout) => {
    outcomes.set(test, await checkout.run([test], TIMEOUT));
  });
  const failing = failed.flatMap((test): [string, string][] => {
    const failure = outcomes.get(test)?.failure;
    return failure === undefined ? [] : [[test, failure]];
  });
  return {
    testsOf: (mutant) => [...(reaching[mutants.indexOf(mutant)] ?? [])],
    tookOf: (test) => outcomes.get(test)?.took ?? TIMEOUT,
    passing: new Set(tests.filter((test) => outcomes.get(test)?.failure === undefined)),
    failing: new Map(failing),
  };
}

/** What is known of tests that have all passed, and of which nobody knows what they reach. */
export function coveredBy(tests: string[]): Coverage {
  return { testsOf: () => [], tookOf: () => TIMEOUT, passing: new Set(tests), failing: new Map() };
}

/** Lets each checkout do the next of these tasks until none is left. */
export async function shared<T>(
  tasks: T[],
  checkouts: Checkout[],
  run: (task: T, checkout: Checkout) => Promise<void>,
): Promise<void> {
  const waiting = tasks.values();
  const work = async (checkout: Checkout): Promise<void> => {
    for (const task of waiting) await run(task, checkout);
  };
  await Promise.all(checkouts.map(work));
}

/** The text of the file, in which each expression that reaches a mutant says so. */
function withProbes(file: string, source: string, mutants: Mutant[]): string {
  const insertions: { at: number; text: string; order: number }[] = [];
  mutants.forEach(({ file: of, reached }, name) => {
    if (of !== file || reached === undefined) return;
    const { start, end } = reached;
    // At one place, what ends comes before what begins, and of that the longest first.
    insertions.push({ at: start, text: `(__reached("${name}"), `, order: -end });
    insertions.push({ at: end, text: ")", order: Number.NEGATIVE_INFINITY });
  });
  insertions.sort((a, b) => a.at - b.at || a.order - b.order);
  let [done, probed] = [0, ""];
  for (const { at, text } of insertions) {
    probed += source.slice(done, at) + text;
    done = at;
  }
  return probed + source.slice(done);
}
