import type { Clock } from "../../../domain/clock.ts";
import { OperatorAdministration } from "../../../domain/operators/administration.ts";
import { operatorAsJson } from "../../../domain/operators/json.ts";
import { type Operator, SESSION_LENGTH } from "../../../domain/operators/operator.ts";
import type { OperatorStore } from "../../../domain/operators/store.ts";
import { timestampOf } from "../../../domain/timestamp.ts";
import { readBody } from "../body.ts";
import type { parseRanges } from "../client-address.ts";
import type { RequestContext } from "../request-context.ts";
import type { Authentication } from "./authenticate.ts";
import { clearedCookie, sessionCookie } from "./cookie.ts";
import { isSecure, refuseCrossSite } from "./cross-site.ts";
import { answer, authorOf, type Handler } from "./request-context.ts";
import { SignIn } from "./schemas.ts";

type Parts = { operators: OperatorStore; clock: Clock; trustedProxies: ReturnType<typeof parseRanges> };

/** Signing in and out. */
export function sessionHandlers({ operators, clock, trustedProxies }: Parts, authentication: Authentication) {
  const administrationBy = (operator: Operator, requestId: string) =>
    new OperatorAdministration(operators, { operator: { id: operator.id, name: operator.name }, requestId });

  /** The one call that needs no credentials before. */
  const signIn = async (context: RequestContext): Promise<Response> => {
    authentication.countSignIn(context);
    refuseCrossSite(context, trustedProxies);
    const { token } = await readBody(context, SignIn);
    const operator = await authentication.operatorSigningIn(context, token);
    const { session, secret } = await administrationBy(operator, context.requestId).signIn(operator, clock());
    const cookie = sessionCookie(secret, SESSION_LENGTH / 1000, isSecure(context, trustedProxies));
    return answer(context, 201, onTheWire(operator, session.expiresAt), cookie);
  };

  const current: Handler = ({ env }) => answer(env, 200, onTheWire(env.operator, env.session?.expiresAt));

  const signOut: Handler = async ({ env }) => {
    if (env.session !== undefined) {
      await new OperatorAdministration(operators, authorOf(env)).signOut(env.session, clock());
    }
    return new Response(null, { status: 204, headers: { ...env.headers, ...clearedCookie() } });
  };

  return { signIn, current, signOut };
}

function onTheWire(operator: Operator, expiresAt: number | undefined) {
  return { operator: operatorAsJson(operator), expiresAt: timestampOf(expiresAt) };
}
