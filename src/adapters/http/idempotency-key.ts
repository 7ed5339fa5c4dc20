import { z } from "zod";
import type { IdempotencyKey } from "../../domain/changes.ts";
import { ofCreation, ref } from "./openapi-headers.ts";
import { json, type RequestContext } from "./request.ts";
import { etagOf } from "./responses.ts";
import type { HeaderReferences } from "./routes.ts";

const LONGEST = 255;
const PATTERN = `^[ -~]{1,${LONGEST}}$`;

/** The header Idempotency-Key, which the client chooses. */
const headerOf = (caller: string) =>
  z
    .string()
    .regex(new RegExp(PATTERN), { error: `must be 1 to ${LONGEST} printable ASCII characters` })
    .meta({
      minLength: 1,
      maxLength: LONGEST,
      pattern: PATTERN,
      description: `Identifies this creation among those of the ${caller}, for 24 hours. Choose a new value for each creation, for example a UUID. A repeated request with the same content gets the first response.`,
      examples: ["7c0ff4d2-8a1c-4a8e-9c55-0d7c1c6f9b0e"],
    });

/** The headers of a request by which a caller creates something. */
export const idempotentRequest = (caller: "API key" | "operator") =>
  z.object({ "Idempotency-Key": headerOf(caller).optional() });

/** The same in the public interface. */
export const IdempotentRequest = idempotentRequest("API key");

/** The headers of the response to it. */
export const ofIdempotentCreation: HeaderReferences = {
  ...ofCreation,
  "Idempotency-Replayed": ref("IdempotencyReplayed"),
};

/** Returns the idempotency key of a request by this API key or operator at `now` (Unix ms), if it has one. */
export function idempotencyKeyOf(
  headers: z.output<typeof IdempotentRequest>,
  keyId: string,
  now: number,
): IdempotencyKey | undefined {
  const key = headers["Idempotency-Key"];
  return key === undefined ? undefined : { keyId, key, now };
}

/** Responds to a request that created something, or that repeats one which did. */
export function createdResponse(
  context: RequestContext,
  body: unknown,
  { location, tag, isReplay = false }: { location: string; tag: string; isReplay?: boolean },
): Response {
  if (isReplay) context.headers["Idempotency-Replayed"] = "true";
  return json(context, 201, body, { Location: location, ETag: etagOf(tag) });
}
