import { writeFileSync } from "node:fs";
import type { Server, Workplace } from "./workplace.ts";

/** Something to put under load: what is asked of which server, and what it has to answer. */
export type Subject = {
  name: string;
  server: Server;
  headers: Record<string, string>;
  /** A file of requests, a line each: "METHOD PATH" or "METHOD PATH BODY". They are sent in turn. */
  requests: string;
};

/** What the first request has to be answered with. */
export type Expected = { status: number; body: string | RegExp; headers?: readonly string[] };

type Asked = Omit<Subject, "requests"> & { requests: string[]; expected: Expected };

/** Prepares a subject, and sees to it that its first answer is the right one. @throws when it is not */
export async function prepare(workplace: Workplace, { expected, requests, ...asked }: Asked): Promise<Subject> {
  const { name, server, headers } = asked;
  const [method = "GET", path = "/", ...body] = (requests[0] ?? "").split(" ");
  const answer = await fetch(`${server.url}${path}`, {
    method,
    headers,
    ...(body.length > 0 && { body: body.join(" ") }),
  });
  const text = await answer.text();
  const isRight = typeof expected.body === "string" ? text === expected.body : expected.body.test(text);
  const missing = expected.headers?.filter((header) => !answer.headers.has(header)) ?? [];
  if (answer.status !== expected.status || !isRight || missing.length > 0) {
    const lack = missing.length > 0 ? ` without ${missing.join(", ")}` : "";
    throw new Error(`${name}: the first answer is wrong: ${answer.status}${lack}: ${text.slice(0, 300)}`);
  }
  const file = workplace.path(`${name.replaceAll(/\W+/g, "-")}.requests`);
  writeFileSync(file, `${requests.join("\n")}\n`);
  return { ...asked, requests: file };
}
