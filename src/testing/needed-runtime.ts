// Apart from what imports `node:sqlite`.

/** The oldest Node that has `node:sqlite` without a flag. */
export const NEEDED_NODE = "22.13";

/** The message to an older Node, which would only report that there is no such module. */
export const NEEDED_RUNTIME = `@petstore/server/testing needs Bun, or Node ${NEEDED_NODE} or newer.`;
