/** The deployments of one build. Each has its own base URL, keys and data. */
export const deployments = ["production", "staging"] as const;
export type Deployment = (typeof deployments)[number];
