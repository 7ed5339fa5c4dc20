import { fileURLToPath } from "node:url";

/** The path of the reference's program, as its package ships it; deploy/executable.ts puts it into the executable. */
export const REFERENCE: string = fileURLToPath(import.meta.resolve("@scalar/api-reference/browser/standalone.js"));
