import { json } from "../request-context.ts";
import { Session, sessionJson } from "../session.ts";
import { operation } from "./operation.ts";

/** GET /session */
export const getSession = operation({
  id: "getSession",
  method: "get",
  path: "/session",
  role: "viewer",
  tag: "session",
  summary: "Get the session",
  description: "Returns the operator who is signed in, or whose token the request has.",
  answers: { 200: { description: "The session.", schema: Session } },
  handle:
    () =>
    async ({ context }) =>
      json(context, 200, sessionJson(context.operator, context.session?.expiresAt)),
});
