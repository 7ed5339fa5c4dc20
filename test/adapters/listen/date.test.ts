import { expect, test } from "bun:test";
import { RawSocket } from "../../support/raw-socket.ts";
import { useKey, useService } from "../../support/use-service.ts";

const service = useService();
const { key } = useKey(service);

const DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** The status, and the header Date, of the response to a request; all of them if there are several. */
async function dateOf(line: string, headers = "", url = service.url) {
  const socket = await RawSocket.open(url);
  socket.send(`${line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n`);
  const answer = await socket.answer();
  return [answer.status, answer.headers.get("Date")];
}

test("each response has one Date, also to HEAD", async () => {
  const authorized = `Authorization: Bearer ${key.secret}\r\n`;
  for (const method of ["GET", "HEAD"]) {
    const seen = [
      await dateOf(`${method} /v1/pets`, authorized),
      await dateOf(`${method} /v1/pets`, `${authorized}If-None-Match: *\r\n`),
      await dateOf(`${method} /v1/pets?limit=0`, authorized),
      await dateOf(`${method} /v1/pets`),
      await dateOf(`${method} /v1/nowhere`, authorized),
      await dateOf(`${method} /livez`),
      await dateOf(`${method} /nowhere`),
      await dateOf(`${method} /admin/v1/keys`, "", service.adminUrl),
    ];
    expect(seen.map(([status]) => status)).toEqual([200, 304, 400, 401, 404, 200, 404, 401]);
    for (const [status, date] of seen)
      expect([method, status, date]).toEqual([method, status, expect.stringMatching(DATE)]);
  }
});
