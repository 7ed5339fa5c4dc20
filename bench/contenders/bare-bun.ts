import { readFileSync } from "node:fs";
import { answerHeaders } from "./answer-headers.ts";
import { options } from "./arguments.ts";

const answer = readFileSync(options.file, "utf8");

Bun.serve({
  hostname: options.host,
  port: options.port,
  development: false,
  fetch({ headers }) {
    const isAnswered = headers.get("Authorization") !== null && headers.get("X-Request-Id") === null;
    return isAnswered ? new Response(answer, { headers: answerHeaders }) : new Response(null, { status: 401 });
  },
});
