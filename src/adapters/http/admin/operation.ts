import type { Role } from "../../../domain/operators/operator.ts";
import { type Operation, operationFor } from "../operation.ts";
import type { RequestContext } from "../request-context.ts";
import type { OperatorContext } from "./request-context.ts";
import type { Services } from "./services.ts";

/** The role that an operation needs: a viewer's or an admin's, where an admin's includes a viewer's. */
type ByRole = { role: Role };
/** An operation that needs no credentials. */
type WithoutCredentials = { role: "none" };

export type AdministrationOperation =
  | Operation<Services, OperatorContext, ByRole>
  | Operation<Services, RequestContext, WithoutCredentials>;

export const operation = operationFor<Services, OperatorContext, ByRole>();
export const operationWithoutCredentials = operationFor<Services, RequestContext, WithoutCredentials>();
