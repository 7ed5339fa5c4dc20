import { z } from "zod";
import { PetstoreError } from "../../../../domain/errors.ts";
import { OperatorAdministration } from "../../../../domain/operators/administration.ts";
import { addressOf } from "../attempts.ts";
import { challenge } from "../authenticate.ts";
import { JSON_OBJECT, name, required } from "../fields.ts";
import { exampleOperator, Operator } from "../operator.ts";
import { json } from "../request-context.ts";
import { cookieOf, Session, sessionJson } from "../session.ts";
import { SignInAttempt } from "../sign-in-attempts.ts";
import { operationWithoutCredentials } from "./operation.ts";

const NewFirstOperator = z
  .object(
    {
      link: z
        .string({ error: required("must be a string") })
        .meta({ description: "What follows the last `/` of the link." }),
      name,
    },
    JSON_OBJECT,
  )
  .meta({
    id: "NewFirstOperator",
    description: "The link that the first start printed, and the name of the operator.",
    examples: [{ link: "pets_link_…", name: "Ada" }],
  });

export const FirstOperator = z
  .strictObject({
    ...Session.shape,
    operator: Operator,
    token: z.string().meta({ description: "Only this response shows it." }),
  })
  .meta({
    id: "FirstOperator",
    description: "The first operator with its token, and the end of its session.",
    examples: [
      {
        operator: { ...exampleOperator, role: "admin" },
        expiresAt: "2026-12-02T22:00:00.250Z",
        token: "pets_oper_…",
      },
    ],
  });

/** POST /operators/first */
export const createFirstOperator = operationWithoutCredentials({
  id: "createFirstOperator",
  method: "post",
  path: "/operators/first",
  role: "none",
  tag: "operators",
  summary: "Create the first operator",
  description:
    "Creates the first operator, an admin, with the link that the first start of a store prints, and starts a session as signing in does. The link works once, for 15 minutes, while there is no operator. Each address may fail ten times per minute with links that begin alike.",
  request: { body: NewFirstOperator },
  answers: { 201: { description: "The operator, its token and its session.", schema: FirstOperator } },
  handle:
    (services) =>
    async ({ body, context }) => {
      const { operators, clock, trustedProxies } = services;
      const link = body.link.trim();
      const attempt = new SignInAttempt(services, addressOf(context, trustedProxies), link);
      const author = { operator: { name: "first sign-in link" }, requestId: context.requestId };
      const created = await new OperatorAdministration(operators, author)
        .createFirst(link, body.name, clock())
        .catch((cause) => attempt.withdraw(cause));
      if (created === undefined) {
        await attempt.failed(context.requestId);
        challenge(context);
        const message =
          "This link does not work: it was used, it has ended, or there is an operator. Sign in with a token.";
        throw new PetstoreError("invalid_credentials", { message });
      }
      attempt.succeeded();
      const { operator, token, session } = created;
      const answer = { ...sessionJson(operator, session.expiresAt), token };
      return json(context, 201, answer, cookieOf(services, context, created.secret));
    },
});
