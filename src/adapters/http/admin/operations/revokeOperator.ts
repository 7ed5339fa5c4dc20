import { OperatorAdministration } from "../../../../domain/operators/administration.ts";
import { operatorJson } from "../../../../domain/operators/json.ts";
import { Operator, OperatorPath } from "../operator.ts";
import { authorOf, json } from "../request-context.ts";
import { operation } from "./operation.ts";

/** POST /operators/{id}/revoke */
export const revokeOperator = operation({
  id: "revokeOperator",
  method: "post",
  path: "/operators/{id}/revoke",
  role: "admin",
  tag: "operators",
  summary: "Revoke an operator",
  description:
    "Revokes an operator for good: the service refuses its token and its sessions from now on. The only admin cannot be revoked.",
  request: { params: OperatorPath },
  answers: { 200: { description: "The revoked operator.", schema: Operator } },
  refusals: ["operator_not_found", "invalid_state"],
  handle:
    ({ operators, clock }) =>
    async ({ params, context }) => {
      const administration = new OperatorAdministration(operators, authorOf(context));
      return json(context, 200, operatorJson(await administration.revoke(params.id, clock())));
    },
});
