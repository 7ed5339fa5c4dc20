import { currentKey, Key, KeyPath, keyAdministration } from "../key.ts";
import { json } from "../request-context.ts";
import { operation } from "./operation.ts";

/** POST /keys/{id}/unban */
export const unbanKey = operation({
  id: "unbanKey",
  method: "post",
  path: "/keys/{id}/unban",
  role: "admin",
  tag: "keys",
  summary: "Lift a key's ban",
  description: "Ends the ban of a key and clears its strikes. What the key has used of its limits stays.",
  request: { params: KeyPath },
  answers: { 200: { description: "The key without a ban.", schema: Key } },
  refusals: ["key_not_found"],
  handle:
    (services) =>
    async ({ params, context }) => {
      await keyAdministration(services, context).unban(params.id, services.clock());
      return json(context, 200, await currentKey(services, params.id));
    },
});
