import { describe, expect, test } from "bun:test";
import { states } from "../support/markdown.ts";
import { attack, SOON, useTarget } from "./target.ts";

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
  test("is answered after it", async () => {
    states(
      "docs/errors.md",
      "then the next one on the connection begins, so that pipelined requests are answered in order.",
    );
    for (let round = 0; round < 10; round++) {
      const { answers } = await attack(target, post(1) + get(2) + post(3), (connection) =>
        connection.untilAnswered(3, SOON),
      );
      expect(answers.map(({ headers }) => Number(headers.get("X-Request-Id")))).toEqual([1, 2, 3]);
      expect(answers.map(({ status }) => status)).toEqual([201, 200, 201]);
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

test("a client that sends 20,000 requests and reads nothing holds up no other", async () => {
  await attack(target, get(0, "/openapi.json").repeat(20_000), async () => {
    for (let i = 0; i < 5; i++) {
      await attack(target, "", async (connection) => {
        expect(await connection.ask("GET", get(1, "/livez"), SOON)).toMatchObject({ status: 200 });
      });
    }
  });
});
