import type { Deployment } from "../../../domain/deployment.ts";

/** Where clients call this service: its deployment, and its base address, which ends in /v1. */
export type Address = { deployment: Deployment; baseUrl: string };

/** What the examples in the documents contain: a local production service, and the key that it prints. */
const SHOWN = { root: "http://127.0.0.1:8080", key: "pets_live_…" };

/** The address of the service without /v1. */
export function rootOf({ baseUrl }: Address): string {
  return baseUrl.slice(0, -"/v1".length);
}

/** An example with the address of this service, and the form of its keys. */
export function addressed(code: string, address: Address): string {
  const key = address.deployment === "staging" ? "pets_stag_…" : SHOWN.key;
  return code
    .replaceAll(`apiKey: "${SHOWN.key}"`, `apiKey: "${SHOWN.key}", baseUrl: "${SHOWN.root}/v1"`)
    .replaceAll(SHOWN.root, rootOf(address))
    .replaceAll(SHOWN.key, key);
}
