import type { NewAuditEntry } from "../../src/domain/audit.ts";

/** An entry for changes that are not about the log. */
export const ENTRY: NewAuditEntry = { operator: { name: "test" }, at: 0, action: "key.update" };
