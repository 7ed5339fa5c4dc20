import type { z } from "zod";
import type { Clock } from "../../../domain/clock.ts";
import { OperatorAdministration } from "../../../domain/operators/administration.ts";
import type { Operator } from "../../../domain/operators/operator.ts";
import type { OperatorStore } from "../../../domain/operators/store.ts";
import { readBody } from "../body.ts";
import { answer, authorOf, type Handler, idOf, momentOf } from "./request-context.ts";
import { NewOperator, type Operator as OperatorSchema } from "./schemas.ts";

/** What admins do with operators. */
export function operatorHandlers({ operators, clock }: { operators: OperatorStore; clock: Clock }) {
  const list: Handler = async ({ env }) => {
    const found = await operators.list();
    return answer(env, 200, { operators: found.map(operatorOnTheWire) });
  };

  const create: Handler = async ({ env }) => {
    const { name, role } = await readBody(env, NewOperator);
    const { operator, token } = await new OperatorAdministration(operators, authorOf(env)).create(name, role, clock());
    return answer(env, 201, { operator: operatorOnTheWire(operator), token });
  };

  const revoke: Handler = async (c) => {
    const administration = new OperatorAdministration(operators, authorOf(c.env));
    return answer(c.env, 200, operatorOnTheWire(await administration.revoke(idOf(c), clock())));
  };

  return { list, create, revoke };
}

export function operatorOnTheWire({ id, name, role, createdAt, revokedAt }: Operator): z.infer<typeof OperatorSchema> {
  return { id, name, role, createdAt: momentOf(createdAt), revokedAt: momentOf(revokedAt) };
}
