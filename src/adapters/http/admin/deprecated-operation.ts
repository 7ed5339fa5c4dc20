import { z } from "zod";
import { operations } from "../operations/index.ts";

/** The deprecated operations of the public interface. */
export const deprecatedOperations = operations.flatMap(({ id, method, path, deprecated }) =>
  deprecated === undefined ? [] : [{ id, method, path, ...deprecated }],
);

const ids = deprecatedOperations.map(({ id }) => id);

/** The query parameter that selects the callers of one deprecated operation. */
export const deprecatedOperation = z
  .enum(ids, { error: `must be one of ${ids.join(", ")}` })
  .optional()
  .meta({ description: "Only callers of this operation." });
