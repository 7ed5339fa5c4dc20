/** An error response of the service: its status, code and message, and the fields that are invalid. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: { field: string; problem: string }[];
  readonly requestId: string | null;

  constructor(status: number, body: Partial<ApiError>, requestId: string | null) {
    super(body.message ?? `The service returned status ${status}.`);
    this.status = status;
    this.code = body.code ?? "";
    this.details = body.details ?? [];
    this.requestId = requestId;
  }
}

/** Dispatches "ended" when the service no longer accepts the session. */
export const sessionEvents = new EventTarget();

type Method = "GET" | "POST" | "PATCH" | "DELETE";

/**
 * Calls the administration API. `body` is an object, or JSON text where a number has more digits than JavaScript keeps.
 * @throws ApiError for an error response; Error with a message for the operator when the service cannot be reached
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
  throw apiError(response.status, text, response.headers.get("X-Request-Id"));
}

/** The error of an error response. A 401 also ends the session. */
export function apiError(status: number, text: string, requestId: string | null): ApiError {
  let body: Partial<ApiError> = {};
  try {
    body = JSON.parse(text);
  } catch {
    // The page of a proxy: only its status is known.
  }
  const error = new ApiError(status, body, requestId);
  if (status === 401) sessionEvents.dispatchEvent(new Event("ended"));
  return error;
}

/** Keeps an int64 as its digits. Browsers without `source` give those of the nearest number. */
function keepDigits(name: string, value: unknown, context?: { source?: string }): unknown {
  return name === "categoryId" && typeof value === "number" ? (context?.source ?? String(value)) : value;
}

/** `path` with a query of the parameters that have a value. */
export function withQuery(path: string, parameters: Record<string, string | number | null | undefined>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return given.length === 0 ? path : `${path}?${query}`;
}
