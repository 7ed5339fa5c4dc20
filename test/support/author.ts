import type { Author } from "../../src/domain/audit/entry.ts";

/** The author of changes in tests. */
export const TESTER: Author = { operator: { name: "test" } };
