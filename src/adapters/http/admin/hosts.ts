import ipaddr from "ipaddr.js";
import { PetstoreError } from "../../../domain/errors.ts";
import type { RequestContext } from "../request-context.ts";

/** Orchestrators and load balancers call the probes by any name. They reveal nothing. */
const PROBES = ["/livez", "/readyz"];

/**
 * Refuses host names that are not in `hosts`. An attacker's name can resolve to this listener (DNS rebinding), and for a
 * browser his page is then the listener's own. Addresses and localhost cannot: they are allowed, and so is no Host.
 * @throws host_not_allowed
 */
export function refuseUnknownHost({ request, path }: RequestContext, hosts: string[]): void {
  const header = request.headers.get("Host") ?? "";
  const name = header.replace(/:\d*$/, "").toLowerCase();
  if (name === "" || isLocal(name) || isAddress(name) || hosts.includes(name) || PROBES.includes(path)) return;
  const message = `This listener does not answer to the host ${JSON.stringify(name)}. If it is yours, add it to PETSTORE_ADMIN_HOSTS.`;
  throw new PetstoreError("host_not_allowed", { message });
}

function isLocal(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost");
}

function isAddress(name: string): boolean {
  const [, inBrackets] = /^\[(.+)\]$/.exec(name) ?? [];
  return inBrackets === undefined ? ipaddr.IPv4.isValid(name) : ipaddr.IPv6.isValid(inBrackets);
}
