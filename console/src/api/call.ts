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

/** Whether the service refused the request itself, which would fail again. */
export function isInvalidRequest(error: unknown): boolean {
  return error instanceof ApiError && error.status === 400;
}

/** Dispatches "ended" when the service no longer accepts the session, and "began" when the operator has signed in. */
export const sessionEvents = new EventTarget();

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
/** An object, or JSON text where a number has more digits than JavaScript keeps. */
export type Body = object | string;

/** A resource, and the ETag of its state; null if it has none. */
export type Tagged<T> = { value: T; etag: string | null };

type CallOptions = { body?: Body | undefined; file?: File | undefined; ifMatch?: string | null; signal?: AbortSignal };

/** Calls the administration API, and returns the body of the response. @throws what `request` throws */
export async function call<T>(method: Method, path: string, body?: Body): Promise<T> {
  const { value } = await request<T>(method, path, { body });
  return value;
}

/** The same with a file as the body, or without a body. */
export async function upload<T>(path: string, file: File | undefined): Promise<T> {
  const { value } = await request<T>("POST", path, { file });
  return value;
}

/** The media type of a NDJSON or CSV file or a backup, as its extension says. */
export function typeOf({ name }: File): string {
  if (/\.db$/i.test(name)) return "application/vnd.sqlite3";
  return /\.(csv|tsv|txt)$/i.test(name) ? "text/csv" : "application/x-ndjson";
}

/**
 * Calls the administration API.
 * @throws ApiError for an error response; Error with a message for the operator when the service cannot be reached
 */
export async function request<T>(
  method: Method,
  path: string,
  { body, file, ifMatch, signal }: CallOptions = {},
): Promise<Tagged<T>> {
  const headers = new Headers();
  if (body !== undefined) headers.set("Content-Type", "application/json");
  if (file !== undefined) headers.set("Content-Type", typeOf(file));
  if (ifMatch != null) headers.set("If-Match", ifMatch);
  const response = await fetch(`/admin/v1${path}`, {
    method,
    headers,
    signal: signal ?? null,
    body: file ?? (typeof body === "object" ? JSON.stringify(body) : (body ?? null)),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new Error("The service cannot be reached.");
  });
  const text = await response.text();
  if (response.ok) {
    const value = text === "" ? undefined : JSON.parse(text, keepDigits);
    return { value: value as T, etag: response.headers.get("ETag") };
  }
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

/** Keeps an integer beyond 2^53 as its digits. Browsers without `source` give those of the nearest number. */
export function keepDigits(_name: string, value: unknown, context?: { source?: string }): unknown {
  const isInexact = typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER;
  return isInexact ? (context?.source ?? String(value)) : value;
}

/** `path` with a query of the parameters that have a value. */
export function withQuery(
  path: string,
  parameters: Record<string, string | number | boolean | null | undefined>,
): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return given.length === 0 ? path : `${path}?${query}`;
}
