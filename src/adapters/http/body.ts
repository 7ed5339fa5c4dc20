import type { z } from "zod";
import { type Detail, PetstoreError, type PublicErrorCode } from "../../domain/errors.ts";
import { parseJson } from "../../domain/json.ts";
import { shapeOf } from "../../domain/json-shape.ts";
import {
  type BodyProblem,
  type HttpRequest,
  MAX_BODY_BYTES,
  type RequestContext,
  type RequestHeaders,
} from "./request.ts";
import type { Description } from "./routes.ts";

/** The media types of a change: a merge patch (RFC 7396), which is JSON. */
export const PATCH_TYPES = ["application/merge-patch+json", "application/json"] as const;
const CHARSET = /;[ \t]*charset[ \t]*=[ \t]*"?([^";]*)/i;

/**
 * Returns the function that reads a request's JSON body with `schema`. A missing body is allowed if the schema accepts
 * undefined. It throws payload_too_large, unsupported_media_type, invalid_json and validation_failed, in this order.
 */
export function bodyReader<S extends z.ZodType>(schema: S, types: readonly string[] = ["application/json"]) {
  const shape = shapeOf(schema);
  return ({ request: { headers, body } }: RequestContext): z.output<S> => {
    const bytes = wholeBody(body);
    const absent = bytes.length === 0 ? schema.safeParse(undefined) : undefined;
    if (absent?.success) return absent.data;
    requireJson(headers, types, bytes.length === 0);
    const result = schema.safeParse(parseJson(bytes, "The request body", shape));
    if (result.success) return result.data;
    throw invalid(result.error);
  };
}

/** The errors of bodies that did not come whole. */
const problems: Record<BodyProblem, [PublicErrorCode, message: string]> = {
  "too large": ["payload_too_large", `The request body must not be larger than ${MAX_BODY_BYTES} bytes.`],
  late: ["invalid_json", "The request body took too long to arrive."],
  incomplete: ["invalid_json", "The request body is incomplete."],
  malformed: ["invalid_json", "The request body is not framed as HTTP requires."],
};

/**
 * Refuses a request whose body did not come whole, whether or not its operation takes one: nothing is done for it.
 * @throws payload_too_large, invalid_json; invalid_parameter for a large body that the operation does not take
 */
export function requireBody({ body }: HttpRequest, { request }: Pick<Description, "request"> = {}): void {
  if (typeof body !== "string") return;
  const [ownCode, message] = problems[body];
  const code = ownCode === "payload_too_large" && request?.body === undefined ? "invalid_parameter" : ownCode;
  throw new PetstoreError(code, { message });
}

function wholeBody(body: HttpRequest["body"]): Uint8Array {
  if (body instanceof Uint8Array) return body;
  throw new Error("the body of this request does not come whole");
}

function requireJson(headers: RequestHeaders, types: readonly string[], isEmpty: boolean): void {
  const type = headers.get("Content-Type") ?? "";
  const name = type.split(";", 1)[0]?.trimEnd().toLowerCase() ?? "";
  const charset = CHARSET.exec(type)?.[1]?.trim().toLowerCase() ?? "utf-8";
  const encoding = headers.get("Content-Encoding")?.trim().toLowerCase() ?? "identity";
  if (types.includes(name) && ["utf-8", "utf8"].includes(charset) && encoding === "identity") return;
  const problem = isEmpty ? "The request body is empty. " : "";
  const message = `${problem}Send the body as JSON in UTF-8, uncompressed, with Content-Type: ${types.join(" or ")}.`;
  throw new PetstoreError("unsupported_media_type", { message });
}

function invalid(error: z.ZodError): PetstoreError {
  const details = error.issues.map(({ path, message }): Detail => ({ field: path.join("."), problem: message }));
  const message = details.map(({ field, problem }) => `${field || "The body"} ${problem}.`).join(" ");
  return new PetstoreError("validation_failed", { message, details });
}
