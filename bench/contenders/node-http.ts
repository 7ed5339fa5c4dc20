import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { answerHeaders } from "./answer-headers.ts";
import { options } from "./arguments.ts";

const answer = readFileSync(options.file, "utf8");
const ownHeaders = { ...answerHeaders, "Content-Length": Buffer.byteLength(answer) };

createServer(({ headers }, response) => {
  const isAnswered = headers.authorization !== undefined && headers["x-request-id"] === undefined;
  if (isAnswered) response.writeHead(200, ownHeaders).end(answer);
  else response.writeHead(401).end();
}).listen(options.port, options.host);
