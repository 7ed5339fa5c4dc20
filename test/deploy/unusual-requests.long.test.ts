import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { unusualRequests } from "../attack/unusual-requests.ts";
import { parseAnswers } from "../attack/wire.ts";
import { hasCaddy, startCaddy } from "../support/caddy.ts";
import { hasHaproxy, startHaproxy } from "../support/haproxy.ts";
import type { TlsProxy } from "../support/tls-proxy.ts";
import { useKey, useService } from "../support/use-service.ts";

if (!hasHaproxy) console.log("skipped: unusual requests behind HAProxy, without haproxy or openssl on this machine");
if (!hasCaddy) console.log("skipped: unusual requests behind Caddy, which this machine does not have");

/** How long a proxy may say nothing more before its answers count as all, in ms. */
const QUIET = 400;
const SOON = 5_000;
const headersOf = (secret: string) => `Host: localhost\r\nAuthorization: Bearer ${secret}\r\n`;
const names = unusualRequests(headersOf("")).map(({ name }) => name);

/** The statuses of all answers to these bytes. */
async function statusesOf(proxy: TlsProxy, bytes: string): Promise<number[]> {
  const socket = await proxy.open();
  let received = "";
  let heardAt = performance.now();
  socket.setEncoding("latin1").on("data", (text: string) => {
    received += text;
    heardAt = performance.now();
  });
  socket.write(Buffer.from(bytes, "latin1"));
  const end = performance.now() + SOON;
  while (!socket.readableEnded && !socket.destroyed && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (received !== "" && performance.now() - heardAt > QUIET) break;
  }
  socket.destroy();
  return parseAnswers(received, "GET", true).answers.map(({ status }) => status);
}

describe.each([
  ["HAProxy", hasHaproxy, (port: number) => startHaproxy(port, port, port)],
  ["Caddy", hasCaddy, startCaddy],
] as const)("behind %s, each pet that is added has its answer:", (_, isThere, start) => {
  const service = useService({ env: { PETSTORE_TRUSTED_PROXIES: "127.0.0.1" } });
  const { key } = useKey(service);
  let proxy: TlsProxy;
  beforeAll(async () => {
    if (isThere) proxy = await start(Number(new URL(service.url).port));
  });
  afterAll(() => proxy?.stop());

  test.skipIf(!isThere).each(names)("%s", async (name) => {
    const request = unusualRequests(headersOf(key.secret)).find((one) => one.name === name);
    const pets = async () => (await service.stores.pets.inventory()).available;
    const before = await pets();
    const statuses = await statusesOf(proxy, request?.bytes ?? "");
    expect(statuses.filter((status) => status === 201)).toHaveLength((await pets()) - before);
  });
});
