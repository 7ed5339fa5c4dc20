import type { ChangeOptions, CreateOptions, Operation } from "./options.ts";

/** One call of an operation. */
export type Call = {
  operation: Operation;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  /** The query string, with its question mark. */
  query?: string;
  /** The JSON text of the body. */
  body?: string;
  /** Whether the operation counts in none of the key's limits. */
  isFree?: true;
  /** How many requests it counts as. By default 1. */
  cost?: number;
  /** For a change: lists the resource, and nothing else. */
  read?: Call;
  /** For a change that depends on the state of the resource: decides again, on its current state. */
  renew?: () => Promise<Call>;
  options: CreateOptions & ChangeOptions;
};

/** What identifies the client and one of its requests. */
type Identity = { apiKey: string; userAgent: string | undefined; requestId: string; idempotencyKey: string };

/** Returns the request of a call. @throws TypeError for an invalid header */
export function requestOf({ method, body, options }: Call, identity: Identity): RequestInit {
  const headers = new Headers(options.headers);
  headers.set("Authorization", `Bearer ${identity.apiKey}`);
  // A misspelt parameter or field is refused, and not ignored.
  if (!headers.has("Prefer")) headers.set("Prefer", "handling=strict");
  headers.set("X-Request-Id", identity.requestId);
  if (identity.userAgent !== undefined) headers.set("User-Agent", identity.userAgent);
  if (body !== undefined) headers.set("Content-Type", "application/json");
  // The service knows idempotency keys for POST; the other methods are idempotent.
  if (method === "POST") headers.set("Idempotency-Key", identity.idempotencyKey);
  else if (method !== "GET" && options.ifMatch) headers.set("If-Match", options.ifMatch);
  return { method, headers, body: body ?? null };
}
