import { z } from "zod";
import { bodyReader, MAX_BODY_BYTES } from "./body.ts";
import { readHeaders, readQuery } from "./parameters.ts";
import type { RequestContext } from "./request-context.ts";

/** The errors by which a request is refused for its content. */
export type ContentError =
  | "invalid_json"
  | "validation_failed"
  | "payload_too_large"
  | "unsupported_media_type"
  | "invalid_parameter";

/** A body with this Content-Type, by default the first one that the operation takes. */
type Body = { text: string; type?: string; length?: number };

/** Bodies that are refused. That of `validation_failed` is tried in this order: a change may be empty. */
const bodies: Record<Exclude<ContentError, "invalid_parameter">, Body[]> = {
  invalid_json: [{ text: "{" }],
  validation_failed: [{ text: "{}" }, { text: "[]" }],
  payload_too_large: [{ text: "{}", length: MAX_BODY_BYTES + 1 }],
  unsupported_media_type: [{ text: "{}", type: "text/plain" }],
};

/**
 * Reads a request to the same operation whose content has this error.
 * @throws the error, unless the operation takes neither such a body nor such a parameter
 */
export async function readRefusedExample(code: ContentError, context: RequestContext): Promise<void> {
  if (code === "invalid_parameter") readInvalidParameter(context);
  else for (const body of bodies[code]) await readBody(context, body);
}

async function readBody(context: RequestContext, { text, type, length }: Body): Promise<void> {
  const { body: schema, types = ["application/json"] } = context.route.operation?.request ?? {};
  if (schema === undefined) return;
  const headers = {
    "Content-Type": type ?? types[0] ?? "",
    ...(length !== undefined && { "Content-Length": String(length) }),
  };
  const request = new Request("http://localhost/", { method: "POST", headers, body: text });
  await bodyReader(schema, types)({ ...context, request });
}

/** An empty text is no value of any parameter that has a rule. */
function readInvalidParameter({ route }: RequestContext): void {
  const { query, headers } = route.operation?.request ?? {};
  const [parameter] = Object.keys(query?.shape ?? {});
  if (parameter !== undefined) readQuery(z.object(query?.shape), `?${parameter}=`);
  const named = Object.keys(headers?.shape ?? {}).map((name): [string, string] => [name, ""]);
  if (headers !== undefined) readHeaders(headers, new Headers(named));
}
