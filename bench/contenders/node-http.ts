import { createServer } from "node:http";
import { given } from "./given.ts";

const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(given.answer) };

createServer((_request, response) => response.writeHead(200, headers).end(given.answer)).listen(given.port, given.host);
