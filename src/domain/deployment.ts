/** The deployments of one build. Each has its own base URL, keys and data. */
export const deployments = ["production", "staging"] as const;
export type Deployment = (typeof deployments)[number];

/** The address of a deployment: its base URL without the prefix of the interface. */
export function rootOf(baseUrl: string): string {
  return baseUrl.slice(0, -"/v1".length);
}
