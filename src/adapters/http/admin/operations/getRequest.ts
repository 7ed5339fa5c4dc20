import { z } from "zod";
import { PetstoreError } from "../../../../domain/errors.ts";
import { REQUEST_ID_FORM } from "../../../../domain/requests/filter.ts";
import { pastRequestJson } from "../../../../domain/requests/json.ts";
import { example, PastRequest } from "../past-request.ts";
import { json } from "../request-context.ts";
import { operation } from "./operation.ts";

/** A client that sends the same id with each request has its last ones. */
const MOST = 100;

const RequestPath = z.object({
  requestId: z
    .string()
    .transform((text) => {
      if (REQUEST_ID_FORM.test(text)) return text;
      throw new PetstoreError("request_not_found");
    })
    .meta({ type: "string", description: "The `X-Request-Id` of a response.", examples: [example.requestId] }),
});

export const Requests = z
  .strictObject({ requests: z.array(PastRequest) })
  .meta({ id: "Requests", description: "Requests, newest first.", examples: [{ requests: [example] }] });

/** GET /requests/{requestId} */
export const getRequest = operation({
  id: "getRequest",
  method: "get",
  path: "/requests/{requestId}",
  role: "viewer",
  tag: "requests",
  summary: "Find a request",
  description: `Returns the requests with this id, newest first, at most ${MOST}: there are several if a client sent its own id again.`,
  request: { params: RequestPath },
  answers: { 200: { description: "The requests.", schema: Requests } },
  refusals: ["request_not_found"],
  handle:
    ({ requests }) =>
    async ({ params, context }) => {
      const found = await requests.search({ requestId: params.requestId, limit: MOST });
      if (found.length === 0) throw new PetstoreError("request_not_found");
      return json(context, 200, { requests: found.map(pastRequestJson) });
    },
});
