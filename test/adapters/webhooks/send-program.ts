import { once } from "node:events";
import { readFileSync } from "node:fs";
import * as http from "node:http";
import * as https from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type Resolve, webhookSender } from "../../../src/adapters/webhooks/send.ts";

// Sends requests to receivers of its own, on the runtime that runs it. Prints what became of them as JSON. The argument is a
// directory with a certificate for `localhost` and its key.

const [, , directory = ""] = process.argv;
const pem = (name: string) => readFileSync(join(directory, name));

/** More bytes than characters. */
const BODY = '{"name":"Ëlla 🐈"}';

let connections = 0;
/** What the endless answer has sent, at most so many bytes, and its end. */
const ENDLESS = 48 * 1024 * 1024;
const endless = { bytes: 0, ended: Promise.withResolvers<void>() };
/** What ended the answer that sends a little at a time. */
const slow = { endedBy: "", ended: Promise.withResolvers<void>() };
const received: { path?: string | undefined; host?: string | undefined; body: string }[] = [];

async function listening<S extends http.Server>(server: S): Promise<number> {
  server.on("connection", () => {
    connections += 1;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const answer: http.RequestListener = async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  received.push({ path: request.url, host: request.headers.host?.replace(/:\d+$/, ""), body });
  if (request.url === "/redirect") response.writeHead(302, { Location: "/redirected" }).end();
  else if (request.url === "/endless") {
    response.writeHead(200);
    const part = "x".repeat(32 * 1024);
    const writing = setInterval(() => {
      endless.bytes += part.length;
      if (endless.bytes < ENDLESS) response.write(part);
      else response.destroy();
    }, 1);
    response.once("close", () => {
      clearInterval(writing);
      endless.ended.resolve();
    });
  } else if (request.url === "/slow") {
    response.writeHead(200);
    const writing = setInterval(() => response.write("x"), 20);
    const givingUp = setTimeout(() => {
      slow.endedBy = "the receiver";
      response.destroy();
    }, 10_000);
    response.once("close", () => {
      clearInterval(writing);
      clearTimeout(givingUp);
      slow.endedBy ||= "the sender";
      slow.ended.resolve();
    });
  } else if (request.url === "/silent") return;
  else response.writeHead(request.url === "/gone" ? 410 : 200).end("thank you");
};

const servers = [
  http.createServer(answer),
  https.createServer({ key: pem("key.pem"), cert: pem("certificate.pem") }, answer),
] as const;
// Only the client closes connections.
for (const server of servers) server.keepAliveTimeout = 3_600_000;
const [plain, secure] = [await listening(servers[0]), await listening(servers[1])];

/** The names of this table, and `rebinding`, which has a public address when it is looked up first. */
const addresses: Record<string, string[]> = {
  localhost: ["127.0.0.1"],
  other: ["127.0.0.1"],
  mixed: ["93.184.215.14", "10.0.0.1"],
  mapped: ["::ffff:127.0.0.1"],
  metadata: ["169.254.169.254"],
  empty: [],
};
let lookups = 0;
const resolve: Resolve = async (name) => {
  lookups += 1;
  if (name === "unknown") throw new Error("getaddrinfo ENOTFOUND unknown");
  const found = name === "rebinding" ? [lookups === 1 ? "93.184.215.14" : "127.0.0.1"] : (addresses[name] ?? []);
  return found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
};

const sender = webhookSender({ hosts: ["localhost", "other", "127.0.0.1"], resolve, timeout: 500 });
const send = async (url: string) => {
  using opened = sender.connect();
  return await opened.send({ url, headers: { "webhook-id": "msg_1" }, body: BODY });
};

const outcomes: Record<string, unknown> = {
  plain: await send(`http://localhost:${plain}/`),
  address: await send(`http://127.0.0.1:${plain}/`),
  secure: await send(`https://localhost:${secure}/`),
  otherName: await send(`https://other:${secure}/`),
  gone: await send(`http://localhost:${plain}/gone`),
  redirect: await send(`http://localhost:${plain}/redirect`),
  endless: await send(`http://localhost:${plain}/endless`),
  silent: await send(`http://localhost:${plain}/silent`),
  closed: await send("http://localhost:1/"),
  unlisted: await send(`http://unlisted:${plain}/`),
  mixed: await send("https://mixed/"),
  mapped: await send("https://mapped/"),
  metadata: await send("https://metadata/"),
  empty: await send("https://empty/"),
  unknown: await send("https://unknown/"),
};

// The first look-up finds a public address. It is not that of the connection, which has one of its own.
lookups = 0;
await resolve("rebinding");
outcomes.rebinding = await send(`https://rebinding:${secure}/`);

// The limit of time holds for all of an answer.
{
  using opened = sender.connect();
  outcomes.slow = await opened.send({ url: `http://localhost:${plain}/slow`, headers: {}, body: "" });
  await slow.ended.promise;
}

// Without a limit of time in the way, an answer that is too long is cut, and nothing waits for one that has ended.
const patient = webhookSender({ hosts: ["localhost"], resolve, timeout: 3_600_000 });
endless.bytes = 0;
endless.ended = Promise.withResolvers();
{
  using opened = patient.connect();
  await opened.send({ url: `http://localhost:${plain}/endless`, headers: {}, body: "" });
  await endless.ended.promise;
  await opened.send({ url: `http://localhost:${plain}/`, headers: {}, body: "" });
}

const before = connections;
{
  using opened = sender.connect();
  for (let i = 0; i < 20; i++) await opened.send({ url: `http://localhost:${plain}/`, headers: {}, body: String(i) });
}
outcomes.connectionsOfTwenty = connections - before;
// The silent one is closed by the time limit.
let open = Infinity;
for (const deadline = performance.now() + 10_000; open > 0 && performance.now() < deadline; ) {
  const counts = servers.map((server) => new Promise<number>((done) => server.getConnections((_, n) => done(n))));
  open = (await Promise.all(counts)).reduce((sum, count) => sum + count);
  await new Promise((done) => setTimeout(done, 20));
}
const twenty = received.slice(-20).map(({ body }) => body);

console.log(
  JSON.stringify({
    outcomes,
    received: received.slice(0, 3),
    twenty,
    open,
    endlessBytes: endless.bytes,
    slowEndedBy: slow.endedBy,
    redirected: received.some(({ path }) => path === "/redirected"),
  }),
);
// What is left keeps the process from its end.
for (const server of servers) server.close();
