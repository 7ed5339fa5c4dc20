import { parse } from "./int64.ts";
import type { components, Int64 } from "./schema.ts";

/** A change that a webhook delivers, as the feed of events has it. Integers beyond 2^53 are bigints. */
export type WebhookEvent = Omit<components["schemas"]["Event"], "data"> & {
  /** The pet, category or order after the change; its last state once it was removed. */
  data: { id: Int64; [field: string]: unknown };
};

/** What a webhook delivers: a change, or a test that an operator sends, which has the type `webhook.test`. */
export type WebhookMessage =
  | { type: WebhookEvent["type"]; timestamp: string; data: WebhookEvent }
  | { type: "webhook.test"; timestamp: string; data: { endpoint: string } };

/** A request is not one of the service: its signature is missing or wrong, or it is too old. */
export class WebhookError extends Error {
  override name = "WebhookError";
}

/** The headers of a request: as `fetch` has them, or as `node:http` has them. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

/** How far the timestamp of a request may be off, in seconds. */
const TOLERANCE = 300;

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/**
 * Verifies a request of a webhook as Standard Webhooks 1.0 says, and returns what it delivers. `body` is the text of the body
 * as it arrived, and `secret` the secret of the endpoint, or the secrets that are valid. `now` is the time in Unix ms.
 * @throws WebhookError when the request is not one of the service
 * @example
 * const { data } = await verifyWebhook(await request.text(), request.headers, process.env.WEBHOOK_SECRET ?? "");
 */
export async function verifyWebhook(
  body: string,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  now: number = Date.now(),
): Promise<WebhookMessage> {
  const header = (name: string) => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name];
    if (typeof value !== "string") throw new WebhookError(`The request has no header ${name}.`);
    return value;
  };
  const [id, timestamp, given] = [header("webhook-id"), header("webhook-timestamp"), header("webhook-signature")];
  if (!(Math.abs(now / 1_000 - Number(timestamp)) <= TOLERANCE)) {
    throw new WebhookError("The request is too old, or a clock is wrong.");
  }
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signatures = given.split(" ").flatMap((one) => (/^v1,[\w+/]+=*$/.test(one) ? [bytesOf(one.slice(3))] : []));
  for (const one of [secret].flat()) {
    const bytes = bytesOf(one.replace(/^whsec_/, ""));
    const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    for (const signature of signatures) {
      if (await crypto.subtle.verify("HMAC", key, signature, signed)) return parse(body) as WebhookMessage;
    }
  }
  throw new WebhookError("The signature of the request is wrong.");
}
