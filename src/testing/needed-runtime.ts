/** The message to an older Node, which would only report that there is no module `node:sqlite`. Apart from what imports that. */
export const NEEDED_RUNTIME = "@petstore/server/testing needs Bun, or Node 22.13 or newer.";
