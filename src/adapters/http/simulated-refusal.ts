import { nameTaken } from "../../domain/categories/category.ts";
import type { PublicErrorCode } from "../../domain/error-catalogue.ts";
import { PetstoreError } from "../../domain/errors.ts";
import { reserved } from "../../domain/orders/change.ts";
import { orderTransitions } from "../../domain/orders/transitions.ts";
import { requireNotReserved } from "../../domain/pets/change.ts";
import type { StoredPet } from "../../domain/pets/pet.ts";
import { petTransitions } from "../../domain/pets/transitions.ts";
import { requireTransition } from "../../domain/transition.ts";
import { CHALLENGE, refuseUnauthenticated } from "./authenticate.ts";
import { removed } from "./deprecation.ts";
import { refuseByLimits } from "./limits.ts";
import { refusalOf } from "./malformed.ts";
import { PATHS_HINT, requireOperation } from "./no-route.ts";
import type { AdmittedContext } from "./operations/operation.ts";
import { readRefusedExample } from "./refused-example.ts";
import { noRoutes } from "./routes.ts";
import { requireScope } from "./scope.ts";

export type Services = Parameters<typeof refuseUnauthenticated>[2] &
  Parameters<typeof refuseByLimits>[2] & { baseUrl: string };

/** Throws the error, or returns its response. What returns nothing does not refuse this request. */
type Refuse = (context: AdmittedContext, services: Services) => Response | undefined | Promise<void> | void;

const PENDING: StoredPet = { id: 1, name: "Rex", categoryId: 1n, status: "pending", version: 1 };

/**
 * What refuses a request with each code, given something to refuse: the check or the rule that does so in earnest. The
 * errors of other codes are the same for each request.
 */
const refusals: Partial<Record<PublicErrorCode, Refuse>> = {
  ...fromEach(["invalid_json", "validation_failed", "invalid_parameter"], readRefusedExample),
  ...fromEach(["payload_too_large", "unsupported_media_type"], readRefusedExample),
  ...fromEach(["missing_api_key", "invalid_api_key", "expired_api_key"], refuseUnauthenticated),
  ...fromEach(["revoked_api_key", "disabled_api_key"], refuseUnauthenticated),
  ...fromEach(["rate_limit_exceeded", "quota_exceeded", "key_banned"], refuseByLimits),
  insufficient_scope: refuseScope,
  not_found: (context) => void requireOperation({ ...context, route: noRoutes("", "") }, PATHS_HINT),
  method_not_allowed: refuseMethod,
  operation_removed: ({ route }, { baseUrl }) => {
    if (route.operation !== undefined) throw removed(route.operation, route.params, baseUrl);
  },
  invalid_transition: ({ route }) => {
    if (route.operation?.tag === "orders") requireTransition("An order", orderTransitions, "delivered", "placed");
    requireTransition("A pet", petTransitions, "sold", "pending");
  },
  pet_reserved: () => requireNotReserved(PENDING.id),
  pet_not_available: () => void reserved(PENDING),
  category_exists: () => {
    throw nameTaken(PENDING.categoryId);
  },
  request_header_too_large: refuseHeaders,
};

/** Refuses a request with this code, as it really is refused. @throws the error, unless its response is returned */
export async function refuseAs(code: PublicErrorCode, context: AdmittedContext, services: Services): Promise<Response> {
  const response = await refusals[code]?.(context, services);
  if (response instanceof Response) return response;
  throw new PetstoreError(code);
}

function fromEach<Code extends PublicErrorCode>(
  codes: readonly Code[],
  refuse: (code: Code, context: AdmittedContext, services: Services) => void | Promise<void>,
): Partial<Record<PublicErrorCode, Refuse>> {
  return Object.fromEntries(
    codes.map((code): [Code, Refuse] => [code, (context, services) => refuse(code, context, services)]),
  );
}

function refuseScope(context: AdmittedContext): void {
  const { route, key, headers } = context;
  if (route.operation !== undefined) requireScope(route.operation, { ...context, key: { ...key, scopes: [] } });
  headers["WWW-Authenticate"] = `${CHALLENGE}, error="insufficient_scope"`;
}

/** The real one has not read the request: its id is its own, and nothing marks it. */
function refuseHeaders({ headers }: AdmittedContext): Response {
  const response = refusalOf("headers");
  for (const name of ["X-Request-Id", "Petstore-Simulated"]) response.headers.set(name, headers[name] ?? "");
  return response;
}

/** A path that does not exist has no methods (RFC 9110, 10.2.1). */
function refuseMethod(context: AdmittedContext): void {
  const { route, headers } = context;
  if (route.allowed.length === 0) headers.Allow = "";
  else requireOperation({ ...context, route: { ...route, operation: undefined } }, PATHS_HINT);
}
