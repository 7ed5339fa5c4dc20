import { errorCatalogue, type PublicErrorCode } from "../../domain/errors.ts";
import { firstHeaders, type HttpResponse } from "./request.ts";
import type { ErrorBody } from "./responses.ts";

/** Why bytes are refused before there is a request, by the parser or for its Host. */
export type Malformation = "syntax" | "version" | "headers" | "timeout";

type Refusal = { status: number; code: PublicErrorCode; message: string };

const refusals: Record<Malformation, Refusal> = {
  syntax: { status: 400, code: "invalid_parameter", message: "This is not a valid HTTP/1.1 request." },
  version: { status: 505, code: "invalid_parameter", message: "The service speaks HTTP/1.1 and HTTP/1.0." },
  headers: {
    status: 431,
    code: "request_header_too_large",
    message: errorCatalogue.request_header_too_large.message,
  },
  timeout: { status: 408, code: "invalid_parameter", message: "The request took too long to arrive." },
};

/** The response to bytes that are not a request, with `own` headers. The connection cannot carry another one. */
export function malformedResponse(malformation: Malformation, own?: Record<string, string>): HttpResponse {
  const { status, code, message } = refusals[malformation];
  const body: ErrorBody = { code, message, status };
  const headers = {
    ...firstHeaders(crypto.randomUUID()),
    "Content-Type": "application/json",
    "Cache-Control": "no-store",
    Connection: "close",
    ...own,
  };
  return { status, headers, body: JSON.stringify(body) };
}
