import { currentKey, Key, KeyPath, keyAdministration } from "../key.ts";
import { json } from "../request-context.ts";
import { operation } from "./operation.ts";

/** POST /keys/{id}/revoke */
export const revokeKey = operation({
  id: "revokeKey",
  method: "post",
  path: "/keys/{id}/revoke",
  role: "admin",
  tag: "keys",
  summary: "Revoke a key",
  description: "Revokes a key for good: the service refuses every further request with it.",
  request: { params: KeyPath },
  answers: { 200: { description: "The revoked key.", schema: Key } },
  refusals: ["key_not_found"],
  handle:
    (services) =>
    async ({ params, context }) => {
      await keyAdministration(services, context).revoke(params.id, services.clock());
      return json(context, 200, await currentKey(services, params.id));
    },
});
