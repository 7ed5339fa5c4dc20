import { currentKey, Key, KeyPath, keyAdministration } from "../key.ts";
import { json } from "../request-context.ts";
import { operation } from "./operation.ts";

/** DELETE /keys/{id}/simulation */
export const endSimulation = operation({
  id: "endSimulation",
  method: "delete",
  path: "/keys/{id}/simulation",
  role: "admin",
  tag: "keys",
  summary: "End a key's simulation",
  description: "Has requests of a key answered as they are. A key without a simulation stays as it is.",
  request: { params: KeyPath },
  answers: { 200: { description: "The key without a simulation.", schema: Key } },
  refusals: ["key_not_found"],
  handle:
    (services) =>
    async ({ params, context }) => {
      await keyAdministration(services, context).endSimulation(params.id, services.clock());
      return json(context, 200, await currentKey(services, params.id));
    },
});
