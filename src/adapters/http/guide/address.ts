import type { Deployment } from "../../../domain/deployment.ts";

/**
 * Where clients call this service: its deployment, and the base addresses of both, which end in /v1. `command`: how its
 * operators run a command, if not as in a checkout.
 */
export type Address = { deployment: Deployment; baseUrls: Record<Deployment, string>; command?: string | undefined };

/** What the examples in the documents contain: a local production service, the key that it prints, and staging beside it. */
const SHOWN = { root: "http://127.0.0.1:8080", key: "pets_live_…", staging: "http://127.0.0.1:8090" };
const SHOWN_COMMAND = "npx petstore ";

/** The address of the service, or of the other deployment, without /v1. */
export function rootOf({ deployment, baseUrls }: Address, of: Deployment = deployment): string {
  return baseUrls[of].slice(0, -"/v1".length);
}

/** The base address of the other deployment, whose keys are others. */
export function otherBaseUrl({ deployment, baseUrls }: Address): string {
  return baseUrls[deployment === "staging" ? "production" : "staging"];
}

/** A document with the commands as operators of this service run them. */
export function withCommand(text: string, { command }: Address): string {
  return command === undefined ? text : text.replaceAll(SHOWN_COMMAND, () => `${command} `);
}

/** An example with the address of this service, and the form of its keys. */
export function addressed(code: string, address: Address): string {
  const key = address.deployment === "staging" ? "pets_stag_…" : SHOWN.key;
  return withBaseUrl(code)
    .replaceAll(SHOWN.staging, rootOf(address, "staging"))
    .replaceAll(SHOWN.root, rootOf(address))
    .replaceAll(SHOWN.key, key);
}

/** Options of the client, by themselves in braces or each on a line. */
const OPTIONS = /\{ (?<key>apiKey: "pets_live_…"),? ?(?<others>[^}]*?) \}/g;
const OPTION = /^(?<indent> +)apiKey: "pets_live_…",$/gm;

/** A program with the client, which in the documents calls the service on the reader's machine, with the address that it calls. */
function withBaseUrl(code: string): string {
  const option = `baseUrl: "${SHOWN.root}/v1",`;
  if (code.includes(option.slice(0, -1))) return code;
  return code
    .replace(OPTION, `$&\n$<indent>${option}`)
    .replace(OPTIONS, (_all, key: string, others: string) =>
      ["{", `  ${key},`, `  ${option}`, ...(others === "" ? [] : [`  ${others},`]), "}"].join("\n"),
    );
}
