import { expect, test } from "bun:test";
import { closingUnread, MAX_BODY_BYTES } from "../../../src/adapters/http/body.ts";
import { noConnection } from "../../support/no-connection.ts";

const CHUNK = 1_000;
const refuse = closingUnread(() => new Response("refused", { status: 401 }));

test("the response to an unread body comes at once, and ends when 64 KiB of the body have been read", async () => {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        sent += CHUNK;
        controller.enqueue(new Uint8Array(CHUNK));
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { "Transfer-Encoding": "chunked" };
  const response = await refuse(new Request("http://localhost/", { method: "POST", headers, body }), noConnection);
  expect(response.headers.get("Connection")).toBe("close");
  const [text] = await Array.fromAsync(response.body ?? []);
  expect(new TextDecoder().decode(text)).toBe("refused");
  expect(sent).toBeGreaterThanOrEqual(MAX_BODY_BYTES);
  expect(sent).toBeLessThan(MAX_BODY_BYTES + 2 * CHUNK);
});
