import { PetstoreError } from "../../../../domain/errors.ts";
import {
  type Claims,
  OperatorAdministration,
  type SignInChecks,
  SignInFailure,
  type SignInProblem,
  type SingleSignOn,
} from "../../../../domain/operators.ts";
import { ref } from "../../openapi-headers.ts";
import type { HttpResponse, RequestContext } from "../../request.ts";
import { cookieIn, countedAttempt, forClient, originOf, sessionCookie } from "../sign-in.ts";
import { type OperatorServices, operationWithoutCredentials } from "./operation.ts";

const PATH = "/admin/v1/session/oidc";
const CALLBACK = `${PATH}/callback`;

/** The author of what a sign-in changes of its operator. */
const AUTHOR = "single sign-on";

/** How long a sign-in at the provider may take, in ms. */
const SIGN_IN_LENGTH = 600_000;

/**
 * The cookie with what a sign-in is checked by, in the browser that began it. The browser sends it when the provider sends it back,
 * which is a request from another site.
 */
const cookieName = ({ deployment }: OperatorServices) => `petstore_oidc_${deployment}`;
const ATTRIBUTES = `Path=${PATH}; HttpOnly; SameSite=Lax`;

const SECRET = /^[\w-]{20,100}$/;

function checksCookie(services: OperatorServices, context: RequestContext, checks: SignInChecks): string {
  const value = [services.clock(), checks.state, checks.nonce, checks.verifier].join(".");
  const cookie = `${cookieName(services)}=${value}; Max-Age=${SIGN_IN_LENGTH / 1000}; ${ATTRIBUTES}`;
  return forClient(cookie, context, services.trustedProxies);
}

/** What the browser began this sign-in with, not too long ago. @throws SignInFailure */
function checksIn(services: OperatorServices, context: RequestContext, callback: URL): SignInChecks {
  const [begunAt, state = "", nonce = "", verifier = ""] = cookieIn(context, cookieName(services))?.split(".") ?? [];
  const isWhole = [state, nonce, verifier].every((secret) => SECRET.test(secret));
  const isOver = !(services.clock() - Number(begunAt) < SIGN_IN_LENGTH);
  // Nothing is counted: a page of another site can send the browser here, but cannot know the state.
  if (!isWhole || isOver || callback.searchParams.get("state") !== state) throw new SignInFailure("sign_in_expired");
  return { state, nonce, verifier };
}

const failed = "to the console, with the reason in the fragment: a browser shows its page.";
const redirection = (description: string) => ({ description, headers: { Location: ref("Location") } });

/** GET /session/oidc. */
export const beginSingleSignOn = operationWithoutCredentials({
  id: "beginSingleSignOn",
  route: "GET /session/oidc",
  role: "none",
  summary: "Sign in at the OpenID provider",
  description:
    "Sends a browser to the OpenID provider, if there is one, and keeps in a cookie of 10 minutes what the sign-in is checked by.",
  answers: { 302: redirection("To the provider."), 303: redirection(`Failed: ${failed}`) },
  refusals: ["not_found"],
  handle: (services, { context }) =>
    withProvider(services, context, {}, async (provider) => {
      const { url, checks } = await provider.begin(redirectUri(services, context));
      return { status: 302, headers: { Location: url, "Set-Cookie": checksCookie(services, context, checks) } };
    }),
});

/** GET /session/oidc/callback. */
export const finishSingleSignOn = operationWithoutCredentials({
  id: "finishSingleSignOn",
  route: "GET /session/oidc/callback",
  role: "none",
  summary: "Return from the OpenID provider",
  description:
    "Where the provider sends the browser back to, with a code. Starts a session as signing in does, for the operator of this person, which the first sign-in creates; each one updates its name and role. Each address may fail ten times per minute.",
  answers: { 303: redirection(`Signed in: to the console. Failed: ${failed}`) },
  refusals: ["not_found"],
  handle: (services, { context }) => {
    const own: Record<string, string> = {};
    return withProvider(services, context, own, async (provider) => {
      const callback = new URL(redirectUri(services, context));
      callback.search = context.request.url.replace(/^[^?]*/, "");
      const checks = checksIn(services, context, callback);
      // A second header of this name. Until here the cookie may be that of another tab, which is still at the provider.
      own["set-cookie"] = `${cookieName(services)}=; Max-Age=0; ${ATTRIBUTES}`;
      const secret = await signIn(services, context, provider, { callback, checks });
      return { status: 303, headers: { Location: "/", ...sessionCookie(services, context, secret) } };
    });
  },
});

/** @throws SignInFailure for a request without a host that a browser could return to */
function redirectUri({ trustedProxies }: OperatorServices, context: RequestContext): string {
  const uri = `${originOf(context, trustedProxies)}${CALLBACK}`;
  // Without a host the path's first word would be taken for one.
  if (URL.canParse(uri) && new URL(uri).pathname === CALLBACK) return uri;
  throw new SignInFailure("sign_in_failed");
}

type Redirection = { status: 302 | 303; headers: Record<string, string> };

/** Answers with what `redirect` returns, or for any failure with the console's sign-in page. @throws not_found without a provider */
async function withProvider(
  { singleSignOn, report }: OperatorServices,
  { headers, requestId }: RequestContext,
  own: Record<string, string>,
  redirect: (provider: SingleSignOn) => Promise<Redirection>,
): Promise<HttpResponse> {
  if (singleSignOn === undefined) {
    const message = "Operators sign in with tokens here: PETSTORE_OIDC_ISSUER is not set.";
    throw new PetstoreError("not_found", { message });
  }
  const { status, headers: added } = await redirect(singleSignOn).catch((error: unknown): Redirection => {
    const cause = causeOf(error);
    if (cause !== undefined) report(cause, requestId);
    return { status: 303, headers: { Location: `/console#/sign-in/${problemOf(error)}` } };
  });
  return { status, headers: { ...headers, ...own, ...added }, body: null };
}

function problemOf(error: unknown): SignInProblem {
  if (error instanceof SignInFailure) return error.problem;
  const isLimited = error instanceof PetstoreError && error.kind === "limited";
  return isLimited ? "too_many_attempts" : "service_unavailable";
}

/** What the log says of an error; undefined for one that is due to the request. */
function causeOf(error: unknown): PetstoreError | undefined {
  if (error instanceof PetstoreError) return error.isFailure ? error : undefined;
  if (!(error instanceof SignInFailure)) return new PetstoreError("internal_error", { cause: error });
  if (error.reason === undefined) return undefined;
  const message = "The OpenID provider did not sign an operator in.";
  return new PetstoreError("service_unavailable", { message, cause: new Error(error.reason) });
}

/** Signs in the person whom the provider names. Returns the secret of the session. @throws SignInFailure, PetstoreError */
async function signIn(
  services: OperatorServices,
  context: RequestContext,
  provider: SingleSignOn,
  { callback, checks }: { callback: URL; checks: SignInChecks },
): Promise<string> {
  const { operators, clock } = services;
  const author = { operator: { name: AUTHOR }, requestId: context.requestId };
  const refused: { by?: SignInFailure } = {};
  const check = async () => {
    let claims: Claims | undefined;
    try {
      claims = await provider.finish(callback, checks);
      const identity = provider.identityOf(claims);
      const signedIn = await new OperatorAdministration(operators, author).signInWith(identity, clock());
      if (signedIn === undefined) throw new SignInFailure("operator_revoked", `${identity.name} was revoked`);
      return signedIn.secret;
    } catch (error) {
      if (!(error instanceof SignInFailure) || error.problem === "provider_unavailable") throw error;
      // Whose role was taken away stays signed in nowhere.
      if (error.problem === "no_role" && claims !== undefined)
        await operators.endSessionsOf({ issuer: claims.iss, subject: claims.sub });
      refused.by = error;
      return undefined;
    }
  };
  const reason = () => ({ reason: refused.by?.problem });
  const secret = await countedAttempt(services, context, AUTHOR, check, reason);
  if (secret === undefined) throw refused.by ?? new SignInFailure("sign_in_failed");
  return secret;
}
