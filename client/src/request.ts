import type { ChangeOptions, CreateOptions, OperationName } from "./options.ts";

/** One call of an operation. */
export type Call = {
  operation: OperationName;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  /** The query string, with its question mark. */
  query?: string | undefined;
  /** The JSON text of the body. */
  body?: string | undefined;
  /** Whether the operation counts in none of the key's limits. */
  isFree?: boolean | undefined;
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
  const own = {
    Authorization: `Bearer ${identity.apiKey}`,
    // A misspelt parameter or field is refused, and not ignored.
    Prefer: headers.get("Prefer") ?? "handling=strict",
    "X-Request-Id": identity.requestId,
    "User-Agent": identity.userAgent,
    "Content-Type": body && "application/json",
    // The service knows idempotency keys for POST; the other methods are idempotent.
    "Idempotency-Key": method === "POST" && identity.idempotencyKey,
    "If-Match": !/GET|POST/.test(method) && options.ifMatch,
  };
  for (const [name, value] of Object.entries(own)) if (value) headers.set(name, value);
  return { method, headers, body: body ?? null };
}
