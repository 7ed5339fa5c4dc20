import { lookup as resolve } from "node:dns/promises";
import * as http from "node:http";
import * as https from "node:https";
import type { LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import manifest from "../../../package.json" with { type: "json" };
import { messageOf } from "../../domain/errors.ts";
import {
  DELIVERY_TIMEOUT,
  MAX_URL_LENGTH,
  type Outcome,
  type WebhookRequest,
  type WebhookSender,
} from "../../domain/webhooks.ts";

/** Connections of an endpoint at the same time. */
export const MAX_CONNECTIONS = 8;
/** How much of an answer is read, in bytes. */
const MAX_ANSWER = 64 * 1024;
const MAX_REASON_LENGTH = 200;

export type Resolve = (name: string) => Promise<{ address: string; family: number }[]>;

type SenderOptions = {
  /** Names and IP addresses that may have any address, and http. */
  hosts: readonly string[];
  resolve?: Resolve;
  /** How long an answer may take, in ms. */
  timeout?: number;
};

/**
 * Sends requests with `node:http` and `node:https`, because `fetch` resolves a name again after it was checked. Their
 * `lookup` gives the address that the connection uses, on both runtimes; for a host that is an address, none is called.
 */
export function webhookSender({
  hosts,
  resolve: addressesOf = (name) => resolve(name, { all: true }),
  timeout = DELIVERY_TIMEOUT,
}: SenderOptions): WebhookSender {
  const isListed = (name: string) => hosts.includes(name);
  const problemOf = (text: string): string | undefined => {
    if (text.length > MAX_URL_LENGTH) return `must have at most ${MAX_URL_LENGTH} characters`;
    if (!URL.canParse(text)) return "must be an absolute URL";
    const { protocol, username, password, hash, hostname } = new URL(text);
    const name = bare(hostname);
    if (protocol === "http:" && !isListed(name))
      return `must begin with https://, unless PETSTORE_WEBHOOK_HOSTS names ${name}`;
    if (protocol !== "https:" && protocol !== "http:") return "must begin with https://";
    if (username !== "" || password !== "") return "must not have a user or a password";
    if (hash !== "") return "must not have a fragment";
    if (ipaddr.isValid(name) && !isListed(name) && !isPublic(name)) return notPublic(name);
    return undefined;
  };
  /** Resolves a name for each new connection, which uses what was checked here. */
  const checkedLookup: LookupFunction = (name, options, callback) => {
    addressesOf(name).then(
      (found) => {
        const refused = isListed(name) ? undefined : found.find(({ address }) => !isPublic(address));
        const [first] = found;
        if (refused !== undefined) callback(new Error(`${name} ${notPublic(refused.address)}`), "", 0);
        else if (first === undefined) callback(new Error(`${name} has no address`), "", 0);
        else if (options.all) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, "", 0),
    );
  };
  return {
    problemOf,
    connect() {
      const options = { keepAlive: true, maxSockets: MAX_CONNECTIONS };
      const agents = { "http:": new http.Agent(options), "https:": new https.Agent(options) };
      return {
        async send(request) {
          const problem = problemOf(request.url);
          if (problem !== undefined) return { error: `The URL ${problem}.` };
          const url = new URL(request.url);
          const isSecure = url.protocol === "https:";
          const agent = isSecure ? agents["https:"] : agents["http:"];
          return post(isSecure ? https.request : http.request, url, request, { agent, lookup: checkedLookup }, timeout);
        },
        [Symbol.dispose]() {
          for (const agent of Object.values(agents)) agent.destroy();
        },
      };
    },
  };
}

/** Sends a request, and follows no redirect. Resolves with the head of the answer; the rest is read for the next request. */
function post(
  send: typeof https.request,
  url: URL,
  { headers, body }: WebhookRequest,
  connection: Pick<https.RequestOptions, "agent" | "lookup">,
  timeout: number,
): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const request = send(url, {
    ...connection,
    method: "POST",
    headers: {
      ...headers,
      "content-length": Buffer.byteLength(body),
      "user-agent": `petstore/${manifest.version}`,
    },
  });
  const timer = setTimeout(() => {
    resolve({ error: `no answer within ${timeout / 1_000} s` });
    request.destroy();
  }, timeout);
  request.once("response", (answer) => {
    resolve({ status: answer.statusCode ?? 0 });
    let read = 0;
    answer.on("data", (chunk: Uint8Array) => {
      read += chunk.length;
      if (read > MAX_ANSWER) request.destroy();
    });
    answer.once("close", () => clearTimeout(timer)).on("error", () => {});
  });
  request.on("error", (error) => {
    clearTimeout(timer);
    resolve({ error: messageOf(error).slice(0, MAX_REASON_LENGTH) || "the connection failed" });
  });
  request.end(body);
  return promise;
}

/** A host as names and addresses are compared: without the brackets of IPv6. */
function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "");
}

function notPublic(address: string): string {
  return `must not have the address ${address}, which is not public; PETSTORE_WEBHOOK_HOSTS lists hosts that may`;
}

const GLOBAL_IPV6 = ipaddr.parseCIDR("2000::/3");

/** Whether an address is one of the public internet: not private, loopback, link-local, shared, reserved, mapped or translated. */
function isPublic(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  return address.range() === "unicast" && (address.kind() === "ipv4" || address.match(GLOBAL_IPV6));
}
