import type { Author } from "../../src/domain/audit/entry.ts";

/** Who makes what tests need. */
export const TESTER: Author = { operator: { name: "test" } };
