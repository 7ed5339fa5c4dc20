import { z } from "zod";
import { pastRequestJson } from "../../../../domain/requests/json.ts";
import { count } from "../fields.ts";
import { readPage } from "../page.ts";
import { example, PastRequest, RequestsQuery } from "../past-request.ts";
import { json } from "../request-context.ts";
import { operation } from "./operation.ts";

export const RequestPage = z
  .strictObject({
    requests: z.array(PastRequest),
    next: z.string().nullable().meta({ description: "The `before` of the next page; null on the last page." }),
    kept: z
      .strictObject({ requests: count, hours: count })
      .meta({ description: "The settings: at most so many requests are kept, for so many hours. 0: none." }),
  })
  .meta({
    id: "RequestPage",
    description: "Requests, newest first.",
    examples: [{ requests: [example], next: null, kept: { requests: 100_000, hours: 24 } }],
  });

/** GET /requests */
export const listRequests = operation({
  id: "listRequests",
  method: "get",
  path: "/requests",
  role: "viewer",
  tag: "requests",
  summary: "List requests",
  description:
    "Lists the requests of the request history that match all given filters, newest first: every request under /v1, also a refused one, of all nodes and workers.",
  request: { query: RequestsQuery },
  answers: { 200: { description: "A page of the request history.", schema: RequestPage } },
  handle:
    ({ requests }) =>
    async ({ query, context }) => {
      const { limit, ...asked } = query;
      const { items, next } = await readPage(limit, (limit) => requests.search({ ...asked, limit }));
      return json(context, 200, { requests: items.map(pastRequestJson), next, kept: requests.retention });
    },
});
