import { z } from "zod";
import { PetstoreError } from "../../../../domain/errors.ts";
import { OperatorAdministration, operatorWithToken } from "../../../../domain/operators/administration.ts";
import { addressOf } from "../attempts.ts";
import { challenge } from "../authenticate.ts";
import { JSON_OBJECT, required } from "../fields.ts";
import { authorOf, json } from "../request-context.ts";
import { cookieOf, Session, sessionJson } from "../session.ts";
import { SignInAttempt } from "../sign-in-attempts.ts";
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
    "Starts a session of 12 hours, kept in a cookie. Each address may fail ten times per minute with tokens that begin alike.",
  request: { body: SignIn },
  answers: { 201: { description: "Signed in.", schema: Session } },
  handle:
    (services) =>
    async ({ body, context }) => {
      const { operators, clock, trustedProxies } = services;
      const token = body.token.trim();
      const attempt = new SignInAttempt(services, addressOf(context, trustedProxies), token);
      const operator = await operatorWithToken(operators, token).catch((cause) => attempt.withdraw(cause));
      if (operator === undefined) {
        await attempt.failed(context.requestId);
        challenge(context);
        const message = "This token does not exist, or its operator was revoked.";
        throw new PetstoreError("invalid_credentials", { message });
      }
      attempt.succeeded();
      const administration = new OperatorAdministration(operators, authorOf({ ...context, operator }));
      const { session, secret } = await administration.signIn(operator, clock());
      return json(context, 201, sessionJson(operator, session.expiresAt), cookieOf(services, context, secret));
    },
});
