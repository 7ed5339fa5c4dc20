import fc from "fast-check";

/** How many examples a property of pure functions is tried with. */
const EXAMPLES = 300;

/** Tries a property with generated examples. @throws with the smallest that fails, its seed and its path */
export function holds<T>(property: fc.IRawProperty<T, false>, examples = EXAMPLES): void {
  fc.assert(property, { numRuns: examples });
}

/** The same for a property that has to wait for something. */
export function eventuallyHolds<T>(property: fc.IAsyncProperty<T>, examples: number): Promise<void> {
  return fc.assert(property, { numRuns: examples });
}
