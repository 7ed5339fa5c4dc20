import { clearedCookie } from "../cookie.ts";
import { operation } from "../operation.ts";
import { operatorAdministration } from "../operator.ts";

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
    (services) =>
    async ({ context }) => {
      const { session, headers } = context;
      if (session !== undefined) await operatorAdministration(services, context).signOut(session, services.clock());
      return new Response(null, { status: 204, headers: { ...headers, ...clearedCookie() } });
    },
});
