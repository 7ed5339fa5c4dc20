import type { Clock } from "../../../domain/clock.ts";
import { OperatorAdministration } from "../../../domain/operators/administration.ts";
import { operatorAsJson } from "../../../domain/operators/json.ts";
import type { OperatorStore } from "../../../domain/operators/store.ts";
import { readBody } from "../body.ts";
import { answer, authorOf, type Handler, idOf } from "./request-context.ts";
import { NewOperator } from "./schemas.ts";

/** What admins do with operators. */
export function operatorHandlers({ operators, clock }: { operators: OperatorStore; clock: Clock }) {
  const list: Handler = async ({ env }) => {
    const found = await operators.list();
    return answer(env, 200, { operators: found.map(operatorAsJson) });
  };

  const create: Handler = async ({ env }) => {
    const { name, role } = await readBody(env, NewOperator);
    const { operator, token } = await new OperatorAdministration(operators, authorOf(env)).create(name, role, clock());
    return answer(env, 201, { operator: operatorAsJson(operator), token });
  };

  const revoke: Handler = async (c) => {
    const administration = new OperatorAdministration(operators, authorOf(c.env));
    return answer(c.env, 200, operatorAsJson(await administration.revoke(idOf(c), clock())));
  };

  return { list, create, revoke };
}
