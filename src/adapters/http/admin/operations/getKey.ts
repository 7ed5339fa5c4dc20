import { currentKey, Key, KeyPath } from "../key.ts";
import { json } from "../request-context.ts";
import { operation } from "./operation.ts";

/** GET /keys/{id} */
export const getKey = operation({
  id: "getKey",
  method: "get",
  path: "/keys/{id}",
  role: "viewer",
  tag: "keys",
  summary: "Get a key",
  description: "Returns a key with what it has used of its limits now.",
  request: { params: KeyPath },
  answers: { 200: { description: "The key.", schema: Key } },
  refusals: ["key_not_found"],
  handle:
    (services) =>
    async ({ params, context }) =>
      json(context, 200, await currentKey(services, params.id)),
});
