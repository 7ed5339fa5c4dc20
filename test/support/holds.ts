import fc from "fast-check";

/** The number of examples for a property of pure functions. */
const EXAMPLES = 300;

/** How long an async property is checked, and a failure made smaller, in ms: a test that times out would not say what failed. */
const LONGEST = 240_000;

/** Checks a property with generated examples. @throws with the smallest failing one, its seed and its path */
export function holds<T>(property: fc.IRawProperty<T, false>, examples = EXAMPLES): void {
  fc.assert(property, { numRuns: examples });
}

/** The same for an async property. */
export function eventuallyHolds<T>(property: fc.IAsyncProperty<T>, examples: number): Promise<void> {
  return fc.assert(property, { numRuns: examples, interruptAfterTimeLimit: LONGEST });
}
