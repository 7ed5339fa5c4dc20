import { fileURLToPath } from "node:url";

/**
 * The location of each file of the reference, by its name in the URL: Swagger UI from its package, and our additions.
 * deploy/executable.ts puts these files into the executable.
 */
export function referenceFiles(): Record<string, string> {
  return {
    "swagger-ui.js": fileURLToPath(import.meta.resolve("swagger-ui-dist/swagger-ui-bundle.js")),
    "swagger-ui.css": fileURLToPath(import.meta.resolve("swagger-ui-dist/swagger-ui.css")),
    "start.js": fileURLToPath(new URL("start.js", import.meta.url)),
    "style.css": fileURLToPath(new URL("style.css", import.meta.url)),
  };
}
