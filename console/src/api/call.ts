/** What the service said no with: its code, and what was wrong with which field. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: { field: string; problem: string }[];
  readonly requestId: string | null;

  constructor(status: number, body: Partial<Refusal>, requestId: string | null) {
    super(body.message ?? `The service answered ${status}.`);
    this.status = status;
    this.code = body.code ?? "";
    this.details = body.details ?? [];
    this.requestId = requestId;
  }
}

/** Hears "ended" when the service no longer knows this session. */
export const sessionEnd = new EventTarget();

type Method = "GET" | "POST" | "PATCH" | "DELETE";

/**
 * Asks the administration interface. `body` is JSON, or its text where a number needs more digits than JavaScript keeps.
 * @throws Refusal when it says no; Error with a sentence for people when it cannot be reached
 */
export async function call<T>(method: Method, path: string, body?: object | string, signal?: AbortSignal): Promise<T> {
  const response = await fetch(`/admin/v1${path}`, {
    method,
    signal: signal ?? null,
    headers: body === undefined ? {} : { "Content-Type": "application/json" },
    body: body === undefined || typeof body === "string" ? (body ?? null) : JSON.stringify(body),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new Error("The service cannot be reached.");
  });
  const text = await response.text();
  if (response.ok) return (text === "" ? undefined : JSON.parse(text, keepDigits)) as T;
  throw refusal(response.status, text, response.headers.get("X-Request-Id"));
}

/** The refusal in an answer. Being told 401 anywhere but at the sign-in ends the session. */
export function refusal(status: number, text: string, requestId: string | null): Refusal {
  let body: Partial<Refusal> = {};
  try {
    body = JSON.parse(text);
  } catch {
    // A proxy's page, not the service's answer: its status has to do.
  }
  const refused = new Refusal(status, body, requestId);
  if (status === 401) sessionEnd.dispatchEvent(new Event("ended"));
  return refused;
}

/** An int64 comes as its digits. Where a browser has no `source`, those of the number nearest to it. */
function keepDigits(name: string, value: unknown, context?: { source?: string }): unknown {
  return name === "categoryId" && typeof value === "number" ? (context?.source ?? String(value)) : value;
}

/** A path with those parameters that are given. */
export function withQuery(path: string, parameters: Record<string, string | number | null | undefined>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return given.length === 0 ? path : `${path}?${query}`;
}
