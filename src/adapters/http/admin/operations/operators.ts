import { z } from "zod";
import { MAX_NAME_LENGTH } from "../../../../domain/keys/key.ts";
import {
  OperatorAdministration,
  operatorJson,
  operatorWithToken,
  roles,
  type Operator as StoredOperator,
} from "../../../../domain/operators.ts";
import { timestampOf } from "../../../../domain/time.ts";
import { authorOf } from "../../operation.ts";
import { JSON_OBJECT, required, secret, text, timestamp } from "../../parameters.ts";
import { json } from "../../request.ts";
import { id, name, pathId } from "../fields.ts";
import { attempt, clearedCookie, originOf, sessionCookie } from "../sign-in.ts";
import { operation, operationWithoutCredentials } from "./operation.ts";

const OperatorPath = z.object({ id: pathId("op_4kTn0aWq7JbYcX2z", "operator_not_found") });

const exampleOperator = {
  id: "op_4kTn0aWq7JbYcX2z",
  name: "ada@example.com",
  role: "viewer",
  provider: "https://login.example.com",
  createdAt: "2026-12-02T10:00:00.250Z",
  revokedAt: "2027-12-02T10:00:00.250Z",
};

export const Operator = z
  .strictObject({
    id: id.meta({ examples: ["op_4kTn0aWq7JbYcX2z"] }),
    name: text(MAX_NAME_LENGTH),
    role: z.enum(roles),
    provider: z.string().nullable().meta({
      description:
        "The issuer of the OpenID provider that signs the operator in, and sets its name and role each time; null if it has a token.",
    }),
    createdAt: timestamp,
    revokedAt: timestamp.nullable(),
  })
  .meta({
    id: "Operator",
    description: "A person or program that operates the service: viewers read, admins change.",
    examples: [exampleOperator],
  });

const exampleSignOut = "https://login.example.com/session/end?client_id=petstore";

export const Operators = z.strictObject({ operators: z.array(Operator) }).meta({
  id: "Operators",
  description: "All operators, oldest first.",
  examples: [{ operators: [exampleOperator] }],
});

export const listOperators = operation({
  id: "listOperators",
  route: "GET /operators",
  role: "admin",
  summary: "List operators",
  description: "Lists all operators, oldest first.",
  answers: { 200: { description: "All operators.", schema: Operators } },
  handle: async ({ operators }, { context }) => {
    const found = await operators.list();
    return json(context, 200, { operators: found.map(operatorJson) });
  },
});

const NewOperator = z
  .object({ name, role: z.enum(roles, { error: required(`must be one of ${roles.join(", ")}`) }) }, JSON_OBJECT)
  .meta({ id: "NewOperator", description: "An operator to create.", examples: [{ name: "Ada", role: "viewer" }] });

export const IssuedOperator = z.strictObject({ operator: Operator, token: secret }).meta({
  id: "IssuedOperator",
  description: "An operator with its token.",
  examples: [{ operator: exampleOperator, token: "pets_oper_…" }],
});

export const createOperator = operation({
  id: "createOperator",
  route: "POST /operators",
  role: "admin",
  summary: "Create an operator",
  description: "Creates an operator. Only this response shows its token.",
  request: { body: NewOperator },
  answers: { 201: { description: "The operator and its token.", schema: IssuedOperator } },
  handle: async ({ operators, clock }, { body, context }) => {
    const administration = new OperatorAdministration(operators, authorOf(context));
    const { operator, token } = await administration.create(body.name, body.role, clock());
    return json(context, 201, { operator: operatorJson(operator), token });
  },
});

export const revokeOperator = operation({
  id: "revokeOperator",
  route: "POST /operators/{id}/revoke",
  role: "admin",
  summary: "Revoke an operator",
  description:
    "Revokes an operator for good: the service refuses its token and its sessions from now on. The only admin cannot be revoked.",
  request: { params: OperatorPath },
  answers: { 200: { description: "The revoked operator.", schema: Operator } },
  refusals: ["operator_not_found", "invalid_state"],
  handle: async ({ operators, clock }, { params, context }) => {
    const administration = new OperatorAdministration(operators, authorOf(context));
    return json(context, 200, operatorJson(await administration.revoke(params.id, clock())));
  },
});

export const Session = z
  .strictObject({
    operator: Operator,
    expiresAt: timestamp.nullable().meta({ description: "When the session ends; null for a request with a token." }),
    signOutUrl: z.string().nullable().meta({
      description:
        "Where a browser goes after it has signed out here, to sign out at the OpenID provider too; null if there is no such page.",
    }),
  })
  .meta({
    id: "Session",
    description: "The signed-in operator.",
    examples: [{ operator: exampleOperator, expiresAt: "2026-12-02T22:00:00.250Z", signOutUrl: exampleSignOut }],
  });

/** A session as JSON. `expiresAt` is Unix ms, and undefined for a request with a token, which has no end. */
function sessionJson(
  operator: StoredOperator,
  expiresAt: number | undefined,
  signOutUrl: string | null = null,
): z.infer<typeof Session> {
  return { operator: operatorJson(operator), expiresAt: timestampOf(expiresAt), signOutUrl };
}

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

export const signIn = operationWithoutCredentials({
  id: "signIn",
  route: "POST /session",
  role: "none",
  summary: "Sign in",
  description:
    "Starts a session of 12 hours, kept in a cookie. Each address may fail ten times per minute with tokens that begin alike.",
  request: { body: SignIn },
  answers: { 201: { description: "Signed in.", schema: Session } },
  handle: async (services, { body, context }) => {
    const { operators, clock } = services;
    const operator = await attempt(services, context, {
      secret: body.token.trim(),
      check: (token) => operatorWithToken(operators, token),
      message: "This token does not exist, or its operator was revoked.",
    });
    const administration = new OperatorAdministration(operators, authorOf({ ...context, operator }));
    const { session, secret } = await administration.signIn(operator, clock());
    return json(context, 201, sessionJson(operator, session.expiresAt), sessionCookie(services, context, secret));
  },
});

export const getSession = operation({
  id: "getSession",
  route: "GET /session",
  role: "viewer",
  summary: "Get the session",
  description: "Returns the operator who is signed in, or whose token the request has.",
  answers: { 200: { description: "The session.", schema: Session } },
  handle: async ({ singleSignOn, trustedProxies }, { context }) => {
    const { operator, session } = context;
    const { provider } = operator;
    const consoleUrl = `${originOf(context, trustedProxies)}/console`;
    const signOutUrl = provider === undefined ? undefined : await singleSignOn?.signOutUrl(provider, consoleUrl);
    return json(context, 200, sessionJson(operator, session?.expiresAt, signOutUrl));
  },
});

export const signOut = operation({
  id: "signOut",
  route: "DELETE /session",
  role: "viewer",
  summary: "Sign out",
  description: "Ends the session and clears its cookie. A request with a token changes nothing.",
  answers: { 204: { description: "Signed out." } },
  handle: async ({ operators, deployment, clock }, { context }) => {
    const { session, headers } = context;
    const administration = new OperatorAdministration(operators, authorOf(context));
    if (session !== undefined) await administration.signOut(session, clock());
    return { status: 204, headers: { ...headers, ...clearedCookie(deployment) }, body: null };
  },
});

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
    token: secret,
  })
  .meta({
    id: "FirstOperator",
    description: "The first operator with its token, and the end of its session.",
    examples: [
      {
        operator: { ...exampleOperator, role: "admin" },
        expiresAt: "2026-12-02T22:00:00.250Z",
        signOutUrl: exampleSignOut,
        token: "pets_oper_…",
      },
    ],
  });

export const createFirstOperator = operationWithoutCredentials({
  id: "createFirstOperator",
  route: "POST /operators/first",
  role: "none",
  summary: "Create the first operator",
  description:
    "Creates the first operator, an admin, with the link that the first start of a store prints, and starts a session as signing in does. The link works once, for 15 minutes, while there is no operator. Each address may fail ten times per minute with links that begin alike.",
  request: { body: NewFirstOperator },
  answers: { 201: { description: "The operator, its token and its session.", schema: FirstOperator } },
  handle: async (services, { body, context }) => {
    const { operators, clock } = services;
    const author = { operator: { name: "first sign-in link" }, requestId: context.requestId };
    const { operator, token, session, secret } = await attempt(services, context, {
      secret: body.link.trim(),
      check: (link) => new OperatorAdministration(operators, author).createFirst(link, body.name, clock()),
      message: "This link does not work: it was used, it has ended, or there is an operator. Sign in with a token.",
    });
    const answer = { ...sessionJson(operator, session.expiresAt), token };
    return json(context, 201, answer, sessionCookie(services, context, secret));
  },
});
