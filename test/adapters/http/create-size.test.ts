import { describe, expect, test } from "bun:test";
import { Connection } from "../../attack/connection.ts";
import { states } from "../../support/markdown.ts";
import { useKey, useService } from "../../support/use-service.ts";

const LARGEST = 64 * 1024;

const service = useService();
const { key, client } = useKey(service);

/** A pet's JSON text, padded with spaces to this many bytes. */
const bodyOf = (size: number) => '{"name":"Rex","categoryId":1}'.padEnd(size);

/** Sent in chunks, without Content-Length. */
function chunked(text: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 10_000) controller.enqueue(bytes.slice(at, at + 10_000));
      controller.close();
    },
  });
}

const postChunked = (text: string) =>
  client.request("/v1/pets", { method: "POST", headers: { "Content-Type": "application/json" }, body: chunked(text) });

describe("a body of", () => {
  test("64 KiB is accepted, with and without Content-Length", async () => {
    expect((await client.post("/v1/pets", bodyOf(LARGEST))).status).toBe(201);
    expect((await postChunked(bodyOf(LARGEST))).status).toBe(201);
  });

  test("one byte more is refused, with and without Content-Length", async () => {
    states("SECURITY.md", "Input | Bodies up to 64 KiB");
    states("docs/errors.md", "The body is larger than 64 KiB,");
    const refusal = { status: 413, body: { code: "payload_too_large", status: 413 } };
    expect(await client.post("/v1/pets", bodyOf(LARGEST + 1))).toMatchObject(refusal);
    expect(await postChunked(bodyOf(LARGEST + 1))).toMatchObject(refusal);
  });

  test("a megabyte is refused, and the service keeps responding", async () => {
    expect((await client.post("/v1/pets", bodyOf(1_000_000))).status).toBe(413);
    expect((await client.get("/v1/pets?limit=1")).status).toBe(200);
  });

  test("64 KiB is counted in bytes, not in characters", async () => {
    const umlauts = `{"name":"Rex","categoryId":1,"more":"${"ü".repeat(LARGEST / 2)}"}`;
    expect((await client.post("/v1/pets", umlauts)).status).toBe(413);
  });
});

test("a Content-Length that is too large is refused before the body is sent", async () => {
  states("docs/errors.md", "The service closes the connection.");
  const connection = await Connection.open(service.url);
  connection.send(
    `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key.secret}\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n`,
  );
  const { answers, isClosed } = await connection.untilClosed(5_000);
  expect(isClosed).toBe(true);
  expect(answers.map(({ status }) => status)).toEqual([413]);
  expect(answers[0]?.headers.get("Connection")).toBe("close");
  expect(JSON.parse(answers[0]?.body ?? "")).toMatchObject({ code: "payload_too_large" });
});
