import { currentKey, Key, KeyPath, keyAdministration } from "../key.ts";
import { json } from "../request-context.ts";
import { operation } from "./operation.ts";

/** POST /keys/{id}/end-grace */
export const endGrace = operation({
  id: "endGrace",
  method: "post",
  path: "/keys/{id}/end-grace",
  role: "admin",
  tag: "keys",
  summary: "End a grace period",
  description: "Ends the grace period of a key's earlier secrets: the service refuses them from now on.",
  request: { params: KeyPath },
  answers: { 200: { description: "The key.", schema: Key } },
  refusals: ["key_not_found", "invalid_state"],
  handle:
    (services) =>
    async ({ params, context }) => {
      await keyAdministration(services, context).endGrace(params.id, services.clock());
      return json(context, 200, await currentKey(services, params.id));
    },
});
