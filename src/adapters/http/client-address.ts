import ipaddr from "ipaddr.js";
import type { RequestContext } from "./request.ts";

type Range = ReturnType<typeof ipaddr.parseCIDR>;

/** Parses ranges such as `10.0.0.0/8` and single addresses such as `::1`. @throws when a text is neither */
export function parseRanges(texts: string[]): Range[] {
  return texts.map((text) => {
    if (text.includes("/")) return ipaddr.parseCIDR(text);
    const address = ipaddr.parse(text);
    return [address, address.kind() === "ipv4" ? 32 : 128] as Range;
  });
}

/** An IPv4 address with a port, or an IPv6 address in brackets, perhaps with a port: some proxies forward the client so. */
const WITH_PORT = /^(?:([\d.]+):\d+|\[([\da-f:.]+)\](?::\d+)?)$/i;

/**
 * Returns the address that a request without a valid key counts for: the nearest one that is not a trusted proxy.
 * An IPv6 address is cut to its /64, the network that a provider assigns to one customer.
 */
export function clientAddress(peer: string, forwardedFor: string | null, proxies: Range[]): string {
  const hops = forwardedFor === null ? [] : forwardedFor.split(",").map((hop) => hop.trim().replace(WITH_PORT, "$1$2"));
  let client = peer;
  while (hops.length > 0 && isInRanges(client, proxies)) {
    const hop = hops.pop() ?? "";
    if (!ipaddr.isValid(hop)) break;
    client = hop;
  }
  return networkOf(client);
}

export function isInRanges(text: string, ranges: Range[]): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  return ranges.some((range) => address.kind() === range[0].kind() && address.match(range));
}

function networkOf(text: string): string {
  if (!ipaddr.isValid(text)) return "unknown";
  const address = ipaddr.process(text);
  if (address.kind() === "ipv4") return address.toString();
  const bytes = address.toByteArray().map((byte, i) => (i < 8 ? byte : 0));
  return `${ipaddr.fromByteArray(bytes).toString()}/64`;
}

/** The client address that a request without valid credentials counts for, as `clientAddress` finds it. */
export function addressOf(
  { request, connection }: Pick<RequestContext, "request" | "connection">,
  trustedProxies: Range[],
): string {
  return clientAddress(connection.address(), request.headers.get("X-Forwarded-For"), trustedProxies);
}
