import { z } from "zod";
import { OperatorAdministration } from "../../../../domain/operators/administration.ts";
import { operatorJson } from "../../../../domain/operators/json.ts";
import { roles } from "../../../../domain/operators/operator.ts";
import { JSON_OBJECT, name, required } from "../fields.ts";
import { exampleOperator, Operator } from "../operator.ts";
import { authorOf, json } from "../request-context.ts";
import { operation } from "./operation.ts";

const NewOperator = z
  .object({ name, role: z.enum(roles, { error: required(`must be one of ${roles.join(", ")}`) }) }, JSON_OBJECT)
  .meta({ id: "NewOperator", description: "An operator to create.", examples: [{ name: "Ada", role: "viewer" }] });

export const IssuedOperator = z
  .strictObject({ operator: Operator, token: z.string().meta({ description: "Only this response shows it." }) })
  .meta({
    id: "IssuedOperator",
    description: "An operator with its token.",
    examples: [{ operator: exampleOperator, token: "pets_oper_…" }],
  });

/** POST /operators */
export const createOperator = operation({
  id: "createOperator",
  method: "post",
  path: "/operators",
  role: "admin",
  tag: "operators",
  summary: "Create an operator",
  description: "Creates an operator. Only this response shows its token.",
  request: { body: NewOperator },
  answers: { 201: { description: "The operator and its token.", schema: IssuedOperator } },
  handle:
    ({ operators, clock }) =>
    async ({ body, context }) => {
      const administration = new OperatorAdministration(operators, authorOf(context));
      const { operator, token } = await administration.create(body.name, body.role, clock());
      return json(context, 201, { operator: operatorJson(operator), token });
    },
});
