import type { Author } from "../../src/domain/audit.ts";

/** The author of changes in tests. */
export const TESTER: Author = { operator: { name: "test" } };
