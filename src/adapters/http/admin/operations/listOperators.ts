import { z } from "zod";
import { operatorJson } from "../../../../domain/operators/json.ts";
import { exampleOperator, Operator } from "../operator.ts";
import { json } from "../request-context.ts";
import { operation } from "./operation.ts";

export const Operators = z.strictObject({ operators: z.array(Operator) }).meta({
  id: "Operators",
  description: "All operators, oldest first.",
  examples: [{ operators: [exampleOperator] }],
});

/** GET /operators */
export const listOperators = operation({
  id: "listOperators",
  method: "get",
  path: "/operators",
  role: "admin",
  tag: "operators",
  summary: "List operators",
  description: "Lists all operators, oldest first.",
  answers: { 200: { description: "All operators.", schema: Operators } },
  handle:
    ({ operators }) =>
    async ({ context }) => {
      const found = await operators.list();
      return json(context, 200, { operators: found.map(operatorJson) });
    },
});
