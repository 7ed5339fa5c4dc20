import { z } from "zod";
import { PetstoreError } from "../../../../domain/errors.ts";
import { OperatorAdministration, operatorWithToken } from "../../../../domain/operators/administration.ts";
import { SESSION_LENGTH } from "../../../../domain/operators/operator.ts";
import { challenge } from "../authenticate.ts";
import { sessionCookie } from "../cookie.ts";
import { isSecure } from "../cross-site.ts";
import { JSON_OBJECT, required } from "../fields.ts";
import { authorOf, json } from "../request-context.ts";
import { Session, sessionJson } from "../session.ts";
import { operationWithoutCredentials } from "./operation.ts";

const SignIn = z
  .object(
    { token: z.string({ error: required("must be a string") }).meta({ description: "An operator's token." }) },
    JSON_OBJECT,
  )
  .meta({
    id: "SignIn",
    description: "The credentials that start a session.",
    examples: [{ token: "pets_oper_…" }],
  });

/** POST /session */
export const signIn = operationWithoutCredentials({
  id: "signIn",
  method: "post",
  path: "/session",
  role: "none",
  tag: "session",
  summary: "Sign in",
  description:
    "Starts a session of 12 hours, kept in the cookie `petstore_session`. Each address has ten attempts per minute.",
  request: { body: SignIn },
  answers: { 201: { description: "Signed in.", schema: Session } },
  handle:
    ({ operators, clock, trustedProxies }) =>
    async ({ body, context }) => {
      const operator = await operatorWithToken(operators, body.token.trim());
      if (operator === undefined) {
        challenge(context);
        const message = "This token does not exist, or its operator was revoked.";
        throw new PetstoreError("invalid_credentials", { message });
      }
      const administration = new OperatorAdministration(operators, authorOf({ ...context, operator }));
      const { session, secret } = await administration.signIn(operator, clock());
      const cookie = sessionCookie(secret, SESSION_LENGTH / 1000, isSecure(context, trustedProxies));
      return json(context, 201, sessionJson(operator, session.expiresAt), cookie);
    },
});
