import { afterAll, beforeAll, expect, test } from "bun:test";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { IncomingHead } from "../../../src/adapters/listen/node.ts";
import { sendRaw } from "../../support/raw-socket.ts";

const received: IncomingMessage[] = [];
const server = createServer((incoming, outgoing) => {
  received.push(incoming);
  outgoing.end();
});
beforeAll(() => once(server.listen(0, "127.0.0.1"), "listening"));
afterAll(() => server.close());

test("the head of a request has the method, the URL and the headers that its Request has", async () => {
  const { port } = server.address() as AddressInfo;
  const lines = [
    "Host: petstore.test",
    "authorization: Bearer x",
    "X-One:",
    "X-Two: a",
    "x-TWO: b, c",
    "Connection: close",
  ];
  await sendRaw(`http://127.0.0.1:${port}`, `PUT /v1/pets?limit=2 HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
  const [incoming] = received;
  if (incoming === undefined) throw new Error("no request arrived");
  const head = new IncomingHead(incoming, "localhost");
  expect([head.method, head.url]).toEqual(["PUT", "http://localhost/v1/pets?limit=2"]);
  const headers = new Headers(lines.map((line) => line.split(/: ?/) as [string, string]));
  for (const name of [...headers.keys(), "Authorization", "X-Two", "X-Three"]) {
    expect(head.headers.get(name)).toBe(headers.get(name));
  }
});
