import { OperatorAdministration } from "../../../../domain/operators/administration.ts";
import { clearedCookie } from "../cookie.ts";
import { authorOf } from "../request-context.ts";
import { operation } from "./operation.ts";

/** DELETE /session */
export const signOut = operation({
  id: "signOut",
  method: "delete",
  path: "/session",
  role: "viewer",
  tag: "session",
  summary: "Sign out",
  description: "Ends the session and clears its cookie. A request with a token changes nothing.",
  answers: { 204: { description: "Signed out." } },
  handle:
    ({ operators, deployment, clock }) =>
    async ({ context }) => {
      const { session, headers } = context;
      const administration = new OperatorAdministration(operators, authorOf(context));
      if (session !== undefined) await administration.signOut(session, clock());
      return new Response(null, { status: 204, headers: { ...headers, ...clearedCookie(deployment) } });
    },
});
