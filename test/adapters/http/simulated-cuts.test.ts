import { describe, expect, test } from "bun:test";
import { Connection } from "../../attack/connection.ts";
import { eventually } from "../../support/eventually.ts";
import { states } from "../../support/markdown.ts";
import { useKey, useService } from "../../support/use-service.ts";

const BODY = '{"name":"Cut","categoryId":1}';
/** In ms. */
const SOON = 3_000;

const service = useService({ env: { PETSTORE_DEPLOYMENT: "staging", PETSTORE_REQUEST_LOG: "true" } });
const { key, client } = useKey(service);

const head = (simulation: string, more = "") =>
  `Host: x\r\nAuthorization: Bearer ${key.secret}\r\nPetstore-Simulate: ${simulation}\r\n${more}\r\n`;
const created = (simulation: string, more = "", length = BODY.length) =>
  `POST /v1/pets HTTP/1.1\r\n${head(simulation, `Content-Type: application/json\r\nContent-Length: ${length}\r\n${more}`)}${BODY}`;
const chunked = (simulation: string) =>
  `POST /v1/pets HTTP/1.1\r\n${head(simulation, "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n")}${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;

/** The bytes that the client gets until its connection ends. */
async function bytesOf(request: string): Promise<string> {
  const connection = await Connection.open(service.url);
  connection.send(request);
  await connection.untilClosed(SOON);
  connection.close();
  return connection.received;
}

const addedPets = async () => (await client.get("/v1/pets?name=Cut&limit=100")).body.length;

describe.each(["disconnect", "lost-answer"])("%s gives no byte of an answer", (cut) => {
  test("is what the documents say", () => {
    states("docs/rehearsal.md", "You get no byte of an answer: a reset, or the end of the connection.");
  });
  const requests: [string, () => string][] = [
    ["to GET", () => `GET /v1/pets HTTP/1.1\r\n${head(cut)}`],
    ["to HEAD", () => `HEAD /v1/pets HTTP/1.1\r\n${head(cut)}`],
    ["over HTTP/1.0", () => `GET /v1/pets HTTP/1.0\r\n${head(cut)}`],
    ["to a client that asks to close", () => `GET /v1/pets HTTP/1.1\r\n${head(cut, "Connection: close\r\n")}`],
    ["to a creation", () => created(cut)],
    ["to a creation in chunks", () => chunked(cut)],
    ["to an error", () => `GET /v1/pets?limit=0 HTTP/1.1\r\n${head(cut)}`],
    ["to a path that does not exist", () => `GET /v1/nothing HTTP/1.1\r\n${head(cut)}`],
    ["to a body that is too large", () => created(cut, "", 70_000)],
    ["after a delay", () => `GET /v1/pets HTTP/1.1\r\n${head(`delay=20, ${cut}`)}`],
  ];
  test.each(requests)("%s", async (_, request) => {
    expect(await bytesOf(request())).toBe("");
  });

  test("and leaves the response before it as it is, on a pipelined connection", async () => {
    const before = `GET /v1/pets?limit=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key.secret}\r\n\r\n`;
    const after = before.replace("limit=1", "limit=2");
    const bytes = await bytesOf(`${before}GET /v1/pets HTTP/1.1\r\n${head(cut)}${after}`);
    expect(bytes).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(bytes.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });
});

test("disconnect does nothing, lost-answer does the work", async () => {
  states("README.md", "and lost response with one request header,");
  states("docs/rehearsal.md", "`lost-answer` | The service does the work,");
  const before = await addedPets();
  await bytesOf(created("disconnect"));
  await bytesOf(chunked("disconnect"));
  expect(await addedPets()).toBe(before);
  await bytesOf(created("lost-answer"));
  await bytesOf(chunked("lost-answer"));
  expect(await addedPets()).toBe(before + 2);
  states(
    "docs/rehearsal.md",
    "| `disconnect` | The service closes the connection and has done nothing. |",
    "`lost-answer` | The service does the work, durably, and closes the connection without an answer.",
  );
});

test("a creation whose answer was lost can be repeated with its Idempotency-Key", async () => {
  states("docs/test-against-it.md", "creates one pet, and not two, when the first response is lost: Idempotency");
  states(
    "docs/rehearsal.md",
    "A client that gets no answer to a creation does not know whether it took effect. Repeat it with the same `Idempotency-Key`, and nothing is created twice:",
  );
  await bytesOf(created("lost-answer", "Idempotency-Key: lost\r\n"));
  const before = await addedPets();
  const repeated = await client.post("/v1/pets", BODY, { "Idempotency-Key": "lost" });
  expect(repeated.status).toBe(201);
  expect(repeated.headers.get("Idempotency-Replayed")).toBe("true");
  expect(await addedPets()).toBe(before);
  states("docs/rehearsal.md", "Repeat it with the same `Idempotency-Key`, and nothing is created twice:");
});

test("both count as requests, and the log has what was done", async () => {
  states(
    "docs/monitoring.md",
    "Its status is that of the work before a cut, and 444 if the connection was cut before any.",
  );
  const own = await service.createKey({ plan: "free" });
  for (const cut of ["disconnect", "lost-answer"]) {
    await bytesOf(`GET /v1/pets HTTP/1.1\r\n${head(cut, `X-Request-Id: ${cut}\r\n`).replace(key.secret, own.secret)}`);
  }
  const { headers } = await service.withSecret(own.secret).get("/v1/pets");
  expect(headers.get("X-RateLimit-Remaining")).toBe("57");
  const entryOf = (id: string) => service.output.find((line) => line.includes(`"requestId":"${id}"`));
  await eventually(async () => entryOf("lost-answer") !== undefined);
  expect(JSON.parse(entryOf("disconnect") ?? "")).toMatchObject({ status: 444, simulated: "disconnect" });
  expect(JSON.parse(entryOf("lost-answer") ?? "")).toMatchObject({ status: 200, simulated: "lost-answer" });
});
