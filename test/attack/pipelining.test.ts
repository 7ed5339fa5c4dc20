import { describe, expect, test } from "bun:test";
import { runtime } from "../support/runtime.ts";
import { Connection } from "./connection.ts";
import { attack, SOON, untilClosed, useTarget } from "./target.ts";

const target = useTarget();

/** A request whose response identifies it. */
const get = (id: number, path = "/v1/pets?limit=1") =>
  `GET ${path} HTTP/1.1\r\n${target.headers}X-Request-Id: ${id}\r\n\r\n`;

const BODY = '{"name":"Rex","categoryId":1}';
const post = (id: number) =>
  `POST /v1/pets HTTP/1.1\r\n${target.headers}Content-Type: application/json\r\nX-Request-Id: ${id}\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

test("100 pipelined requests are answered in order", async () => {
  const paths = ["/v1/pets?limit=1", "/v1/pets/7", "/v1/nothing", "/v1/pets?limit=0", "/livez"];
  const bytes = upTo(100).map((i) => get(i, paths[i % paths.length]));
  const { answers } = await attack(target, bytes.join(""), (connection) => connection.untilAnswered(100, SOON));
  expect(answers.map(({ headers }) => Number(headers.get("X-Request-Id")))).toEqual(upTo(100));
  expect(answers.map(({ status }) => status)).toEqual(upTo(100).map((i) => [200, 404, 404, 400, 200][i % 5] ?? 0));
});

test("they are also answered in order with any packet boundaries", async () => {
  const bytes = upTo(20)
    .map((i) => get(i))
    .join("");
  const { answers } = await attack(target, "", async (connection) => {
    for (let at = 0; at < bytes.length; at += 97) {
      connection.send(bytes.slice(at, at + 97));
      await new Promise((resolve) => setImmediate(resolve));
    }
    return connection.untilAnswered(20, SOON);
  });
  expect(answers.map(({ headers }) => Number(headers.get("X-Request-Id")))).toEqual(upTo(20));
});

test("a connection answers one request after another, creations among them", async () => {
  await attack(target, "", async (connection) => {
    for (let i = 0; i < 20; i++) {
      expect(await connection.ask("POST", post(i), SOON)).toMatchObject({ status: 201 });
      expect(await connection.ask("GET", get(i), SOON)).toMatchObject({ status: 200 });
    }
  });
});

describe("a request behind an unfinished creation", () => {
  /**
   * Bun 1.4.5 drops the connection without an answer when a request arrives behind one whose handler has yet to
   * answer. That is allowed, and safe: a client must be ready to lose a pipelined POST (RFC 9112, section 9.3.2).
   * A response to another request must never arrive.
   */
  test("is answered after it, or the connection ends before either answer", async () => {
    for (let round = 0; round < 10; round++) {
      const { answers, isClosed } = await attack(target, post(1) + get(2) + post(3), (connection) =>
        connection.untilAnswered(3, SOON),
      );
      const ids = answers.map(({ headers }) => Number(headers.get("X-Request-Id")));
      expect(ids).toEqual([1, 2, 3].slice(0, ids.length));
      expect(answers.map(({ status }) => status)).toEqual([201, 200, 201].slice(0, ids.length));
      if (runtime === "node") expect(ids).toHaveLength(3);
      if (ids.length < 3) expect(isClosed).toBe(true);
    }
  });

  test("affects no other connection", async () => {
    const bad = Promise.all(
      upTo(10).map(() => attack(target, post(1) + get(2), (connection) => connection.untilAnswered(2, SOON))),
    );
    const good = upTo(10).map(() =>
      attack(target, "", async (connection) => {
        for (let i = 0; i < 10; i++) expect(await connection.ask("POST", post(i), SOON)).toMatchObject({ status: 201 });
      }),
    );
    await Promise.all([bad, ...good]);
  });
});

if (runtime === "node") {
  test("a connection on which more than 100 requests wait is ended, and the next one is answered at once", async () => {
    const { answers, isClosed } = await untilClosed(target, get(0, "/openapi.json").repeat(1_000));
    expect(isClosed).toBe(true);
    expect(answers.length).toBeLessThanOrEqual(101);
    await attack(target, "", async (connection) => {
      expect(await connection.ask("GET", get(1, "/livez"), SOON)).toMatchObject({ status: 200 });
    });
  });

  test("requests that have been answered do not count", async () => {
    const bytes = upTo(90).map((i) => get(i, i % 2 === 0 ? "/livez" : "/v1/pets/7"));
    await attack(target, "", async (connection) => {
      for (let round = 1; round <= 5; round++) {
        connection.send(bytes.join(""));
        expect((await connection.untilAnswered(90 * round, SOON)).answers).toHaveLength(90 * round);
      }
    });
  });
}

if (runtime === "bun") {
  describe("behaviour of Bun that the service relies on:", () => {
    /** The ids that a server answers when it is sent three requests at once. */
    async function answered(handle: (id: string) => Response | Promise<Response>): Promise<string[]> {
      const fetch = (request: Request) => handle(new URL(request.url).pathname.slice(1));
      const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch });
      const connection = await Connection.open(`http://127.0.0.1:${server.port}`);
      try {
        connection.send(["a", "b", "c"].map((id) => `GET /${id} HTTP/1.1\r\nHost: x\r\n\r\n`).join(""));
        const { answers } = await connection.untilAnswered(3, SOON);
        return answers.map(({ body }) => body);
      } finally {
        connection.close();
        await server.stop(true);
      }
    }

    test("handlers that answer at once lose no pipelined request", async () => {
      expect(await answered((id) => new Response(id))).toEqual(["a", "b", "c"]);
    });

    test("async handlers that await only resolved values lose none either", async () => {
      const ready = async (id: string) => {
        const first = await id;
        return new Response(await Promise.resolve(first));
      };
      for (let round = 0; round < 20; round++) expect(await answered(ready)).toEqual(["a", "b", "c"]);
    });

    test("handlers that respond later mix up no responses, though some may be lost", async () => {
      const late = async (id: string) => {
        await new Promise((resolve) => setImmediate(resolve));
        return new Response(id);
      };
      const ids = await answered(late);
      expect(ids).toEqual(["a", "b", "c"].slice(0, ids.length));
    });
  });
}
