import type { RequestLine } from "./requests.ts";
import type { Server, Workspace } from "./workspace.ts";

/**
 * A server under load. `file` contains the requests, one per line, sent in turn. `keys` may name a file of secrets, one per
 * line, to send the first request with.
 */
export type Subject = {
  url: string;
  pid: number;
  headers: Record<string, string>;
  file: string;
  keys: [] | [file: string];
  connections: number;
};

/**
 * The requests of a load, and the expected response to the first one. With `isConditional` the client has that response
 * already. With `keys`, the first request is sent with so many of the server's secrets, chosen at random.
 */
export type Workload = {
  requests: RequestLine[];
  answer: string | RegExp;
  connections?: number;
  isConditional?: boolean;
  keys?: number;
};

const CONNECTIONS = 64;

/** The headers that every response of the service must have. */
const SERVICE_HEADERS = [
  "X-Request-Id",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "RateLimit-Policy",
  "RateLimit",
];

/** Sent to servers without keys. It is as long as a key, so that all servers read the same request. */
const NO_SECRET = "x".repeat(49);

/**
 * Prepares a subject, and checks its first response. A server with a secret is the service, or its equal, whose response
 * must have all its headers. @throws when the response is wrong
 */
export async function prepare(
  workspace: Workspace,
  server: Server & { secret?: string; secrets?: string[] },
  { requests, answer, connections = CONNECTIONS, isConditional = false, keys }: Workload,
): Promise<Subject> {
  const hasBody = requests.some((request) => !request.startsWith("GET"));
  const headers: Record<string, string> = {
    Authorization: `Bearer ${server.secret ?? NO_SECRET}`,
    ...(hasBody && { "Content-Type": "application/json" }),
  };
  const [method = "GET", path = "/", ...body] = requests[0]?.split(" ") ?? [];
  const url = `${server.url}${path}`;
  const response = await fetch(url, { method, headers, ...(body.length > 0 && { body: body.join(" ") }) });
  const text = await response.text();
  const isRight = typeof answer === "string" ? text === answer : answer.test(text);
  const required = server.secret === undefined ? [] : SERVICE_HEADERS;
  const missing = required.filter((header) => !response.headers.has(header));
  if (!response.ok || !isRight || missing.length > 0) {
    const lack = missing.length > 0 ? ` without ${missing.join(", ")}` : "";
    throw new Error(`the first response is wrong: ${response.status}${lack}: ${text.slice(0, 300)}`);
  }
  if (isConditional) {
    headers["If-None-Match"] = response.headers.get("ETag") ?? "";
    const { status } = await fetch(url, { headers });
    if (status !== 304) throw new Error(`the response to a client that has the current one is ${status}`);
  }
  const secrets = server.secrets?.slice(0, keys) ?? [];
  return {
    ...{ url: server.url, pid: server.pid, headers, file: fileOf(workspace, requests), connections },
    keys: keys === undefined ? [] : [workspace.file("keys", `${secrets.join("\n")}\n`)],
  };
}

/** Writes the requests of a load to a file. */
export function fileOf(workspace: Workspace, requests: RequestLine[]): string {
  return workspace.file("requests", `${requests.join("\n")}\n`);
}
