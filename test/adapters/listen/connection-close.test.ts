import { expect, test } from "bun:test";
import { RawSocket } from "../../support/raw-socket.ts";
import { useService } from "../../support/use-service.ts";

const service = useService();

/** The answer to a request with this Connection header; it comes once the service has closed the connection. */
async function answerTo(url: string, line: string, connection: string) {
  const socket = await RawSocket.open(url);
  socket.send(`${line} HTTP/1.1\r\nHost: localhost\r\nConnection: ${connection}\r\n\r\n`);
  return socket.answer();
}

test.each(["close", "Close", "TE, close"])("a client that sends Connection: %s gets it back", async (connection) => {
  for (const line of ["GET /v1/pets", "HEAD /v1/pets", "GET /livez", "GET /docs", "GET /nowhere", "OPTIONS /v1/pets"]) {
    const { headers } = await answerTo(service.url, line, connection);
    expect(headers.get("Connection")).toBe("close");
  }
  for (const line of ["GET /admin/v1/keys", "GET /livez", "GET /console"]) {
    const { headers } = await answerTo(service.adminUrl, line, connection);
    expect(headers.get("Connection")).toBe("close");
  }
});

test("a client that does not is not asked to close", async () => {
  const { headers } = await fetch(`${service.url}/livez`, { headers: { Connection: "keep-alive" } });
  expect(headers.get("Connection")).not.toBe("close");
});
