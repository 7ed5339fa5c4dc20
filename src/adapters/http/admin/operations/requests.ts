import { z } from "zod";
import { PetstoreError, publicErrors } from "../../../../domain/errors.ts";
import { MAX_NAME_LENGTH } from "../../../../domain/keys/key.ts";
import {
  keyIdsNamed,
  keyNamesOf,
  MAX_REQUEST_ID_LENGTH,
  MOST_NAMED_KEYS,
  MOST_OF_ONE_ID,
  parseStatuses,
  pastRequestJson,
  REQUEST_ID_FORM,
} from "../../../../domain/requests.ts";
import { operationNames } from "../../operations/index.ts";
import { exampleRequest, MAX_CURSOR_LENGTH, OwnRequest, pastRequestId } from "../../operations/key.ts";
import { count, listOf, pageLimit, parsed, text, time } from "../../parameters.ts";
import { json } from "../../request.ts";
import { ID, id, keyText, OLDER, pathPart, readPage } from "../fields.ts";
import { operation } from "./operation.ts";

const codes = Object.keys(publicErrors);

const statuses = parsed(
  parseStatuses,
  "must be statuses such as 404, or classes such as 4xx, separated by commas",
).meta({
  type: "array",
  items: { type: "string", pattern: "^[1-5](xx|[0-9]{2})$", minLength: 3, maxLength: 3 },
  minItems: 1,
  maxItems: 100,
  description: "Only those with one of these statuses, or of these classes of statuses, separated by commas.",
  examples: [["404", "5xx"]],
  param: { style: "form", explode: false },
});

const MAX_PAGE = 200;

const RequestsQuery = z.object({
  requestId: z
    .string()
    .regex(REQUEST_ID_FORM, { error: "must be 1 to 128 characters of A-Z, a-z, 0-9, '.', '_' and '-'" })
    .optional()
    .meta({ maxLength: MAX_REQUEST_ID_LENGTH, description: "Only requests whose response had this `X-Request-Id`." }),
  keyId: z
    .string()
    .regex(ID, { error: "must be the id of a key" })
    .optional()
    .meta({ maxLength: 100, description: "Only requests with the key that has this id." }),
  key: keyText(
    `Only requests with a key whose id, name, owner or last four characters contain this text: the newest ${MOST_NAMED_KEYS} of them.`,
  ),
  operation: listOf(operationNames).optional(),
  status: statuses.optional(),
  error: listOf(codes).optional(),
  from: time.optional().meta({ description: "Only requests at or after this time." }),
  to: time.optional().meta({ description: "Only requests before this time." }),
  limit: pageLimit(MAX_PAGE, 50),
  before: pastRequestId.meta({
    minLength: 1,
    maxLength: MAX_CURSOR_LENGTH,
    description: "The `next` of the page before.",
  }),
});

const PastRequest = z
  .strictObject({
    ...OwnRequest.shape,
    keyId: id.nullable().meta({ description: "The id of its key; null without a valid one." }),
    keyName: text(MAX_NAME_LENGTH).nullable().meta({
      description: "The present name of its key; null without one, or if the key was removed from the store.",
    }),
  })
  .meta({
    id: "PastRequest",
    description: "A request under /v1 or to /mcp, without query, headers, bodies and address.",
  });

const example: z.infer<typeof PastRequest> = {
  ...exampleRequest,
  keyId: "key_4kTn0aWq7JbYcX2z",
  keyName: "My app",
};

export const RequestPage = z
  .strictObject({
    requests: z.array(PastRequest).max(MAX_PAGE),
    next: text(MAX_CURSOR_LENGTH).nullable().meta({ description: OLDER }),
    kept: z.strictObject({ requests: count, hours: count, share: z.number().min(0).max(1) }).meta({
      description:
        "The settings: at most so many requests are kept, for so many hours. 0: none. `share`: how many of those without an error are, from 0 to 1; all others are.",
    }),
  })
  .meta({
    id: "RequestPage",
    description: "Requests, newest first.",
    examples: [{ requests: [example], next: example.id, kept: { requests: 100_000, hours: 24, share: 1 } }],
  });

export const listRequests = operation({
  id: "listRequests",
  route: "GET /requests",
  role: "viewer",
  summary: "List requests",
  description:
    "Lists the requests of the request history that match all given filters, newest first: every request under /v1 or to /mcp, also a refused one, of all nodes and workers.",
  request: { query: RequestsQuery },
  answers: { 200: { description: "A page of the request history.", schema: RequestPage } },
  handle: async ({ requests, keys, clock }, { query, context }) => {
    const { limit, key, keyId, ...asked } = query;
    const named = key === undefined ? undefined : await keyIdsNamed(keys, key, clock());
    const keyIds = keyId === undefined ? named : [keyId].filter((id) => named?.includes(id) ?? true);
    const { items, next } = await readPage(limit, (limit) => requests.search({ ...asked, keyIds, limit }));
    const names = await keyNamesOf(keys, items);
    return json(context, 200, {
      requests: items.map((one) => pastRequestJson(one, names)),
      next,
      kept: requests.kept,
    });
  },
});

const RequestPath = z.object({
  requestId: pathPart(z.string().regex(REQUEST_ID_FORM), "request_not_found").meta({
    type: "string",
    maxLength: MAX_REQUEST_ID_LENGTH,
    description: "The `X-Request-Id` of a response.",
    examples: [example.requestId],
  }),
});

export const Requests = z
  .strictObject({ requests: z.array(PastRequest).max(MOST_OF_ONE_ID) })
  .meta({ id: "Requests", description: "Requests, newest first.", examples: [{ requests: [example] }] });

export const getRequest = operation({
  id: "getRequest",
  route: "GET /requests/{requestId}",
  role: "viewer",
  summary: "Find a request",
  description: `Returns the requests with this id, newest first, at most ${MOST_OF_ONE_ID}: there are several if a client sent its own id again.`,
  request: { params: RequestPath },
  answers: { 200: { description: "The requests.", schema: Requests } },
  refusals: ["request_not_found"],
  handle: async ({ requests, keys }, { params, context }) => {
    const found = await requests.search({ requestId: params.requestId, limit: MOST_OF_ONE_ID });
    if (found.length === 0) throw new PetstoreError("request_not_found");
    const names = await keyNamesOf(keys, found);
    return json(context, 200, { requests: found.map((one) => pastRequestJson(one, names)) });
  },
});
