import { operations } from "../../operations/index.ts";
import { json } from "../request-context.ts";
import { State } from "../state.ts";
import { operation } from "./operation.ts";

/** GET /state */
export const getState = operation({
  id: "getState",
  method: "get",
  path: "/state",
  role: "viewer",
  tag: "state",
  summary: "Get the state of the service",
  description: "Returns the version, the deployment, and whether the database and Redis respond.",
  answers: { 200: { description: "The state of the service.", schema: State } },
  handle:
    ({ state }) =>
    async ({ context }) =>
      json(context, 200, { ...(await state()), operations: operations.map(described) }),
});

function described({ id, method, path, deprecated }: (typeof operations)[number]) {
  return { id, method: method.toUpperCase(), path, isDeprecated: deprecated !== undefined };
}
