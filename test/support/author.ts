import type { Author } from "../../src/audit/entry.ts";

/** Who makes what tests need. */
export const TESTER: Author = { operator: { name: "test" } };
