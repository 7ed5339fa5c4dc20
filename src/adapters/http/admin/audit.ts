import { z } from "zod";
import { actions } from "../../../domain/audit/entry.ts";
import { CONTROLS } from "../../../domain/single-line.ts";
import { listOf, time } from "../parameters.ts";

/** Ids and names have no control characters. The document has this text, without a flag. */
const FILTER = `^[^${CONTROLS}]{1,100}$`;
const filter = new RegExp(FILTER, "u");

/** The filters of the audit log, in a query. */
const text = (description: string) =>
  z
    .string()
    .regex(filter, { error: "must be 1 to 100 characters, without control characters" })
    .optional()
    .meta({ description, pattern: FILTER });

export const AuditFilterQuery = z.object({
  operator: text("Only changes by the operator with this id, or by authors with exactly this name."),
  action: listOf(actions).optional().meta({ description: "Only changes of these kinds, separated by commas." }),
  target: text("Only changes of the key, the operator, the pet, the category or the order with this id."),
  from: time.optional().meta({ description: "Only changes at or after this time." }),
  to: time.optional().meta({ description: "Only changes before this time." }),
});
