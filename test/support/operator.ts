import { Client } from "./client.ts";
import type { RunningService } from "./service.ts";

/** Signs in as a browser does. Returns the response, and a client that sends the cookie from the service's own page. */
export async function signIn(service: RunningService, token: string, headers: Record<string, string> = {}) {
  const answer = await anonymous(service).post("/admin/v1/session", { token }, headers);
  const [cookie = ""] = (answer.headers.get("Set-Cookie") ?? "").split(";");
  return { answer, cookie, browser: browserWith(service, cookie) };
}

/** A client with this cookie, as on the service's own page. */
export function browserWith(service: RunningService, cookie: string): Client {
  return Client.ofOperator({ url: service.adminUrl, headers: { Cookie: cookie, "Sec-Fetch-Site": "same-origin" } });
}

/** A client of the administration listener without credentials. */
export function anonymous(service: RunningService): Client {
  return Client.ofOperator({ url: service.adminUrl, headers: {} });
}
