import { Client } from "./client.ts";
import type { RunningService } from "./service.ts";

/** Signs in as a browser does. Gives the answer, and a client that sends its cookie from a page of our own. */
export async function signIn(service: RunningService, token: string, headers: Record<string, string> = {}) {
  const answer = await anonymous(service).post("/admin/v1/session", { token }, headers);
  const [cookie = ""] = (answer.headers.get("Set-Cookie") ?? "").split(";");
  return { answer, cookie, browser: browserWith(service, cookie) };
}

/** A browser that has this cookie, and shows a page of our own. */
export function browserWith(service: RunningService, cookie: string): Client {
  return Client.ofOperator({ url: service.adminUrl, headers: { Cookie: cookie, "Sec-Fetch-Site": "same-origin" } });
}

/** Somebody at the administration listener without any credentials. */
export function anonymous(service: RunningService): Client {
  return Client.ofOperator({ url: service.adminUrl, headers: {} });
}
