import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { unusualRequests } from "../attack/unusual-requests.ts";
import { parseAnswers } from "../attack/wire.ts";
import { hasCaddy, startCaddy } from "../support/caddy.ts";
import { hasHaproxy, startHaproxy } from "../support/haproxy.ts";
import type { TlsProxy } from "../support/tls-proxy.ts";
import { useKey, useService } from "../support/use-service.ts";

if (!hasHaproxy) console.log("skipped: unusual requests behind HAProxy, without haproxy or openssl on this machine");
if (!hasCaddy) console.log("skipped: unusual requests behind Caddy, which this machine does not have");

/** How long a proxy says nothing more before its answers are counted, and how long they may take, in ms. */
const QUIET = 400;
const SOON = 30_000;
const headersOf = (secret: string) => `Host: localhost\r\nAuthorization: Bearer ${secret}\r\n`;
const names = unusualRequests(headersOf("")).map(({ name }) => name);

/** The number of answers with 201 to these bytes, once the proxy is quiet and they are as many as `added` says. */
async function creationsIn(proxy: TlsProxy, bytes: string, added: () => Promise<number>): Promise<number> {
  const socket = await proxy.open();
  let received = "";
  let heardAt = performance.now();
  socket.setEncoding("latin1").on("data", (text: string) => {
    received += text;
    heardAt = performance.now();
  });
  socket.write(Buffer.from(bytes, "latin1"));
  const created = () => parseAnswers(received, "GET", true).answers.filter(({ status }) => status === 201).length;
  const end = performance.now() + SOON;
  while (!socket.readableEnded && !socket.destroyed && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (received !== "" && performance.now() - heardAt > QUIET && created() === (await added())) break;
  }
  socket.destroy();
  return created();
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
    const added = async () => (await pets()) - before;
    const answered = await creationsIn(proxy, request?.bytes ?? "", added);
    expect(answered).toBe(await added());
  });
});
