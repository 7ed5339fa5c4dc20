/** What an older Node is told, which would only say that there is no module `node:sqlite`. */
export const NEEDED_RUNTIME = "petstore/testing needs Bun, or Node 22.13 or newer.";
