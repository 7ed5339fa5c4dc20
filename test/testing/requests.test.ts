import { expect, test } from "bun:test";
import { request } from "node:http";
import { ReceivedRequests } from "../../src/testing/controls.ts";
import { startPetstore } from "../../src/testing.ts";
import { states } from "../support/markdown.ts";
import { plainRequest } from "../support/no-connection.ts";
import { RawSocket } from "../support/raw-socket.ts";
import { call } from "./call.ts";

test("requests are recorded with their body and the status of their answer", async () => {
  states("docs/testing.md", "with method, path, query, headers, body, the key's id and the status of the answer.");
  await using store = await startPetstore({ pets: 1 });
  await call(store, "/pets?limit=1&name=%C3%84", { headers: { "X-Request-Id": "mine" } });
  await call(store, "/pets", { body: { name: "小黑", categoryId: 1 } });
  await fetch(`${store.url}/pets`);
  const [first, second, third] = store.requests;
  expect(first).toMatchObject({ method: "GET", path: "/v1/pets", query: "limit=1&name=%C3%84", status: 200 });
  expect(first?.headers).toMatchObject({ "x-request-id": "mine", authorization: `Bearer ${store.key}` });
  expect(first?.body).toBeUndefined();
  expect(second).toMatchObject({ method: "POST", body: '{"name":"小黑","categoryId":1}', status: 201 });
  expect(first?.keyId).toMatch(/^key_/);
  await fetch(`${store.url}/pets`, { headers: { Authorization: `bearer ${store.key}` } });
  expect(store.requests[3]).toMatchObject({ keyId: String(first?.keyId), status: 200 });
  expect(third).toMatchObject({ status: 401 });
  expect(third?.keyId).toBeUndefined();
  expect(store.requests).toHaveLength(4);
  states("docs/testing.md", "with method, path, query, headers, body, the key's id and the status of the answer.");
});

test("an earlier list of requests stays as it was", async () => {
  await using store = await startPetstore({ pets: 0 });
  const before = store.requests;
  await call(store, "/pets");
  expect([before.length, store.requests.length]).toEqual([0, 1]);
});

test("the last 10,000 requests are kept", () => {
  states("docs/testing.md", "`requests` | The last 10,000 requests that arrived,");
  const received = new ReceivedRequests(
    () => 0,
    () => undefined,
  );
  for (let i = 0; i < 10_001; i++) received.add(plainRequest(`/v1/pets?limit=${i}`), undefined);
  expect(received.all).toHaveLength(10_000);
  expect(received.all[0]?.query).toBe("limit=1");
  expect(received.all.at(-1)?.query).toBe("limit=10000");
});

test("credentials are recorded only if they are keys of this pet store", async () => {
  states("docs/testing.md", "Credentials other than this store's keys are left out.");
  await using store = await startPetstore({ pets: 0 });
  const secret = "pets_live_0123456789abcdefghijklmnopqrstuv_000000";
  await call(store, "/pets", { key: secret, headers: { Cookie: `session=${secret}`, "Proxy-Authorization": secret } });
  expect(store.requests[0]?.headers).toMatchObject({
    authorization: "[redacted]",
    cookie: "[redacted]",
    "proxy-authorization": "[redacted]",
  });
  expect(JSON.stringify(store.requests)).not.toContain(secret);
});

test("a body in chunks, split within a character, is recorded as it is", async () => {
  await using store = await startPetstore({ pets: 0 });
  const bytes = Buffer.from('{"name":"Žofka","categoryId":1}');
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const headers = { Authorization: `Bearer ${store.key}`, "Content-Type": "application/json" };
  const sent = request(`${store.url}/pets`, { method: "POST", headers }, (response) => {
    response.resume();
    resolve(response.statusCode);
  });
  sent.write(bytes.subarray(0, 10));
  await new Promise((done) => setTimeout(done, 20));
  sent.end(bytes.subarray(10));
  expect(await promise).toBe(201);
  expect(store.requests[0]?.body).toBe(bytes.toString());
});

test("a body that is too large is refused as ever", async () => {
  await using store = await startPetstore({ pets: 0 });
  const { status, body } = await call(store, "/pets", { body: { name: "x".repeat(100_000), categoryId: 1 } });
  expect([status, body.code]).toEqual([413, "payload_too_large"]);
  expect(store.requests[0]?.status).toBe(413);
});

test("what is not under /v1 is recorded, too", async () => {
  await using store = await startPetstore({ pets: 0 });
  expect((await fetch(new URL("/openapi.json", store.url))).status).toBe(200);
  expect(store.requests).toMatchObject([{ path: "/openapi.json", status: 200 }]);
});

test("a malformed request is refused as ever", async () => {
  await using store = await startPetstore({ pets: 0 });
  for (const host of ["[", "a b"]) {
    const socket = await RawSocket.open(store.url);
    socket.send(`GET /v1/pets HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect({ host, status: (await socket.answer()).status }).toEqual({ host, status: 400 });
  }
});
