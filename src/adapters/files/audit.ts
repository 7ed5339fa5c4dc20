import type { RecordedEntry } from "../../domain/audit/entry.ts";
import { entryJson } from "../../domain/audit/json.ts";
import { toJson } from "../../domain/json/write.ts";
import type { WritableContent } from "./content.ts";

/** In CSV the states before and after a change are JSON, and what an entry lacks is empty. */
export const auditEntries: WritableContent<RecordedEntry> = {
  columns: ["id", "at", "operatorId", "operator", "action", "target", "before", "after", "requestId"],
  json: (entry) => toJson(entryJson(entry)),
  cells: (entry, text) => {
    const { id, at, operator, action, target, before, after, requestId } = entryJson(entry);
    const states = [before, after].map((state) => (state === null ? null : toJson(state)));
    const texts = [operator.id, operator.name, action, target, ...states, requestId];
    return [String(id), at, ...texts.map((one) => text(one ?? ""))];
  },
};
