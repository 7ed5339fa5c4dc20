import { errorCatalogue, type PublicErrorCode } from "../../domain/errors.ts";
import type { ErrorBody } from "./responses.ts";

/** Why bytes are refused before there is a request, by a runtime's parser or for its Host. */
export type Malformation = "syntax" | "method" | "headers" | "body" | "timeout";

type Refusal = { status: number; code: PublicErrorCode; message: string; headers?: Record<string, string> };

/** The methods of HTTP that operations may have. deploy/haproxy.cfg refuses the others too. */
const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

const refusals: Record<Malformation, Refusal> = {
  syntax: { status: 400, code: "invalid_parameter", message: "This is not a valid HTTP/1.1 request." },
  method: {
    status: 405,
    code: "method_not_allowed",
    message: `The service does not know this method. It knows ${METHODS}.`,
    headers: { Allow: METHODS },
  },
  headers: {
    status: 431,
    code: "request_header_too_large",
    message: errorCatalogue.request_header_too_large.message,
  },
  body: {
    status: 400,
    code: "invalid_json",
    message: "The request body is incomplete, or not framed as HTTP requires.",
  },
  timeout: { status: 408, code: "invalid_parameter", message: "The request took too long to arrive." },
};

/** The response to bytes that are not a request. The connection cannot carry another one. */
export function malformedResponse(malformation: Malformation): Response {
  const { status, code, message, headers } = refusals[malformation];
  const body: ErrorBody = { code, message, status };
  return Response.json(body, {
    status,
    headers: {
      // Bun would add a charset.
      "Content-Type": "application/json",
      "X-Request-Id": crypto.randomUUID(),
      "X-Content-Type-Options": "nosniff",
      "Cache-Control": "no-store",
      Connection: "close",
      ...headers,
    },
  });
}
