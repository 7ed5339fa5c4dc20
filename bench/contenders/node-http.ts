import { createServer } from "node:http";
import { options } from "./arguments.ts";

const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(options.answer) };

createServer((_request, response) => response.writeHead(200, headers).end(options.answer)).listen(
  options.port,
  options.host,
);
