/** One build runs as one of these, each with its own base address, keys and data. */
export const deployments = ["production", "staging"] as const;
export type Deployment = (typeof deployments)[number];
