import { fileURLToPath } from "node:url";

/**
 * Where each file of the reference lies, by the name that it is served by: Swagger UI as its package ships it, and what
 * is added to it here. deploy/executable.ts puts them into the executable.
 */
export function referenceFiles(): Record<string, string> {
  return {
    "swagger-ui.js": fileURLToPath(import.meta.resolve("swagger-ui-dist/swagger-ui-bundle.js")),
    "swagger-ui.css": fileURLToPath(import.meta.resolve("swagger-ui-dist/swagger-ui.css")),
    "start.js": fileURLToPath(new URL("start.js", import.meta.url)),
    "style.css": fileURLToPath(new URL("style.css", import.meta.url)),
  };
}
