import type { Connection, HttpRequest, HttpResponse } from "../../src/adapters/http/request.ts";

/** For requests that arrive on no connection. */
export const noConnection: Connection = { address: () => "::1", signal: new AbortController().signal };

/** A request that arrives on no connection. */
export function plainRequest(
  url: string,
  {
    method = "GET",
    headers = {},
    body = "",
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): HttpRequest {
  return { method, url, headers: new Headers(headers), body: Buffer.from(body) };
}

/** A response as `fetch` has it. */
export function fetched({ status, headers, body }: HttpResponse): Response {
  return new Response(body instanceof Uint8Array ? new Uint8Array(body) : body, { status, headers });
}
