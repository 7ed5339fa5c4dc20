import type { RequestHead } from "./request-head.ts";

/** A name, an IPv4 address or an IPv6 address in brackets, and perhaps a port; it may be empty (RFC 9112, 3.2). */
const HOST = /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

/** Nearly all requests name the same host. */
let lastValid = "";

/** Whether the header Host is valid, or missing, as HTTP/1.0 allows. Both runtimes join two of them with `, `. */
export function hasValidHost({ headers }: RequestHead): boolean {
  const host = headers.get("Host") ?? "";
  if (host === lastValid) return true;
  if (!HOST.test(host)) return false;
  lastValid = host;
  return true;
}
