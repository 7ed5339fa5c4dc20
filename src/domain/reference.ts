import { z } from "zod";

/**
 * The schema as a reference in the OpenAPI document. `meta` on it stands beside the reference; on the schema itself it would
 * make a copy without the name.
 */
export const reference = <Schema extends z.ZodType>(schema: Schema) => z.lazy(() => schema);
