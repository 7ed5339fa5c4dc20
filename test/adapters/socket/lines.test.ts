import { expect, test } from "bun:test";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { onLines } from "../../../src/adapters/socket/limiter.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/ports.ts";

test("lines that arrive byte by byte are whole, and in order", async () => {
  const received: string[] = [];
  const server = createServer((socket: Socket) => onLines(socket, (line) => received.push(line)));
  const port = await freePort();
  await once(server.listen(port, "127.0.0.1"), "listening");
  const sender = connect({ port, host: "127.0.0.1", noDelay: true });
  const lines = ['{"a":1}', '{"name":"Mimi 🐈"}', "", '{"b":[2,3]}'];
  for (const byte of Buffer.from(lines.map((line) => `${line}\n`).join(""))) {
    sender.write(Uint8Array.of(byte));
    await pause(1);
  }
  await eventually(() => received.length === lines.length);
  expect(received).toEqual(lines);
  sender.destroy();
  server.close();
});
