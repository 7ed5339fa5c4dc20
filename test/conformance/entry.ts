import type { Entry } from "../../src/domain/audit/entry.ts";

/** An entry for changes that are not about the log. */
export const ENTRY: Entry = { operator: { name: "test" }, at: 0, action: "key.update" };
