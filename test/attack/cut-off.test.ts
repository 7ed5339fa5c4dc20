import { describe, expect, test } from "bun:test";
import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import { eventually } from "../support/eventually.ts";
import { eventuallyHolds } from "../support/holds.ts";
import { states } from "../support/markdown.ts";
import { useOperator } from "../support/use-service.ts";
import { Connection } from "./connection.ts";
import { expectOwn } from "./outcomes.ts";
import { attack, isInCatalogue, SOON, useTarget } from "./target.ts";

const BODY = '{"name":"cut off","categoryId":1}';

const target = useTarget();

const post = (length: number) =>
  `POST /v1/pets HTTP/1.1\r\n${target.headers}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

describe("a client that ends its sending side", () => {
  test("gets the responses to its requests", async () => {
    for (const request of [`GET /v1/pets HTTP/1.1\r\n${target.headers}\r\n`, `${post(2)}{}`]) {
      const { answers } = await attack(target, request, (connection) => {
        connection.endSending();
        return connection.untilClosed(SOON);
      });
      expect(answers).toHaveLength(1);
      for (const answer of answers) expectOwn(answer);
    }
  });

  test("in the middle of its body adds nothing", async () => {
    states("docs/errors.md", "A request is carried out once all of it has arrived and is valid;");
    const { answers } = await attack(target, post(BODY.length + 1) + BODY, (connection) => {
      connection.endSending();
      return connection.untilClosed(SOON);
    });
    expect(answers.map(({ status }) => status)).toEqual([400]);
    expect(await isInCatalogue(target, "cut off")).toBe(false);
  });

  test("in the middle of a chunk adds nothing", async () => {
    const request = post(0).replace("Content-Length: 0", "Transfer-Encoding: chunked");
    const { answers } = await attack(target, `${request}${BODY.length.toString(16)}\r\n${BODY}\r\n`, (connection) => {
      connection.endSending();
      return connection.untilClosed(SOON);
    });
    expect(answers.map(({ status }) => status)).toEqual([400]);
    expect(await isInCatalogue(target, "cut off")).toBe(false);
  });
});

describe("the administration listener", () => {
  const { client: admin, operator } = useOperator(target.service);
  const LINE = '{"name":"half open","categoryId":1}\n';
  const ask = (line: string, fields = "") =>
    `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${operator.token}\r\n${fields}\r\n`;
  const upload = (framing: string) =>
    ask("POST /admin/v1/pets/import", `Content-Type: application/x-ndjson\r\n${framing}\r\n`);
  const outcomeOf = async (bytes: string) => {
    const connection = await Connection.open(target.service.adminUrl);
    connection.send(bytes);
    connection.endSending();
    return (await connection.untilClosed(SOON)).answers;
  };

  test.each([1, 3_000])(
    "gives the whole result of %d imported lines to a client that has ended its side",
    async (lines) => {
      const file = LINE.repeat(lines);
      const [answer] = await outcomeOf(`${upload(`Content-Length: ${file.length}`)}${file}`);
      const last = answer?.body.trimEnd().split("\n").at(-1) ?? "";
      expect(JSON.parse(last)).toMatchObject({ done: true, imported: lines, rejected: 0 });
    },
  );

  test("gives the whole export to a client that has ended its side", async () => {
    const [answer] = await outcomeOf(ask("GET /admin/v1/pets/export"));
    const { text } = await admin.get("/admin/v1/pets/export");
    expect(answer?.body.length).toBe(Buffer.byteLength(text));
  });

  test("ends an upload at a chunk that is none, wherever it begins, and goes on", async () => {
    const whole = `${LINE.length.toString(16)}\r\n${LINE}\r\n`;
    for (const pieces of [[whole, "ZZ\r\n"], [`${whole}ZZ\r\n`], [whole, "Z", "Z\r\n"], [whole, "5\r\nabcdeX"]]) {
      const connection = await Connection.open(target.service.adminUrl);
      connection.send(upload("Transfer-Encoding: chunked"));
      for (const piece of pieces) {
        connection.send(piece);
        await pause(50);
      }
      const { answers } = await connection.untilClosed(SOON);
      expect([pieces, answers.length]).toEqual([pieces, 1]);
      expect((await admin.get("/admin/v1/session")).status).toBe(200);
    }
  });
});

test("connections that are reset in the middle of a body leave nothing behind", async () => {
  const cut = async (at: number) => {
    const connection = await Connection.open(target.service.url);
    connection.send((post(BODY.length + 1) + BODY).slice(0, -at));
    await new Promise((resolve) => setTimeout(resolve, 5));
    connection.reset();
  };
  await Promise.all(Array.from({ length: 40 }, (_, i) => cut(i * 4)));
  expect(await isInCatalogue(target, "cut off")).toBe(false);
});

test("connections that are reset during a response harm no others", async () => {
  const leave = async () => {
    const connection = await Connection.open(target.service.url);
    connection.send("GET /docs/running HTTP/1.1\r\nHost: x\r\n\r\n");
    connection.reset();
  };
  await Promise.all(Array.from({ length: 40 }, leave));
  const client = target.service.withSecret(target.secret);
  await eventually(async () => (await client.get("/v1/pets?limit=1")).status === 200);
});

/** A valid request with a few bytes changed, removed or added anywhere. */
test("a damaged request is answered or refused, and the connection ends", async () => {
  const whole = post(BODY.length) + BODY.replace("cut off", "damaged");
  const damage = fc.record({ at: fc.nat(whole.length), remove: fc.nat(4), insert: fc.uint8Array({ maxLength: 4 }) });
  const damaged = fc
    .array(damage, { minLength: 1, maxLength: 4 })
    .map((damages) =>
      damages.reduce(
        (bytes, { at, remove, insert }) => Buffer.concat([bytes.subarray(0, at), insert, bytes.subarray(at + remove)]),
        Buffer.from(whole, "latin1"),
      ),
    );
  const garbage = fc.uint8Array({ maxLength: 200, size: "max" });
  const batch = fc.array(fc.oneof({ weight: 9, arbitrary: damaged }, garbage), {
    minLength: 20,
    maxLength: 20,
    size: "max",
  });
  const send = async (bytes: Uint8Array) => {
    const { answers } = await attack(target, bytes, (connection) => {
      connection.endSending();
      return connection.untilClosed(SOON);
    });
    for (const answer of answers) expectOwn(answer);
  };
  await eventuallyHolds(
    fc.asyncProperty(batch, async (requests) => {
      await Promise.all(requests.map(send));
    }),
    50,
  );
});
