import type { RequestLine } from "./requests.ts";
import type { Server, Workplace } from "./workplace.ts";

/** Something to put under load. `file`: the requests, one per line, sent in turn. */
export type Subject = { url: string; headers: Record<string, string>; file: string; connections: number };

/** What is asked, and what the first request has to be answered with. */
export type Question = { requests: RequestLine[]; answer: string | RegExp; connections?: number };

const CONNECTIONS = 64;

/** What the service's answers carry beside their bodies. */
const SERVICE_HEADERS = [
  "X-Request-Id",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "RateLimit-Policy",
  "RateLimit",
];

/** What servers without keys are sent in place of one: as long as one, so that all servers read the same request. */
const NO_SECRET = "x".repeat(49);

/**
 * Prepares a subject, and sees to it that its first answer is the right one. A server with a secret is the service:
 * it has to answer with all its headers. @throws when the answer is wrong
 */
export async function prepare(
  workplace: Workplace,
  server: Server & { secret?: string },
  { requests, answer, connections = CONNECTIONS }: Question,
): Promise<Subject> {
  const hasBody = requests.some((request) => request.startsWith("POST"));
  const headers = {
    Authorization: `Bearer ${server.secret ?? NO_SECRET}`,
    ...(hasBody && { "Content-Type": "application/json" }),
  };
  const [method = "GET", path = "/", ...body] = requests[0]?.split(" ") ?? [];
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers,
    ...(body.length > 0 && { body: body.join(" ") }),
  });
  const text = await response.text();
  const isRight = typeof answer === "string" ? text === answer : answer.test(text);
  const missing = SERVICE_HEADERS.filter((header) => server.secret !== undefined && !response.headers.has(header));
  if (!response.ok || !isRight || missing.length > 0) {
    const lack = missing.length > 0 ? ` without ${missing.join(", ")}` : "";
    throw new Error(`the first answer is wrong: ${response.status}${lack}: ${text.slice(0, 300)}`);
  }
  const file = workplace.file("requests", `${requests.join("\n")}\n`);
  return { url: server.url, headers, file, connections };
}
