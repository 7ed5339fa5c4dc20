import { describe, expect, test } from "bun:test";
import { states } from "../support/markdown.ts";
import { useKey, useService } from "../support/use-service.ts";
import { Connection } from "./connection.ts";
import { expectOwn } from "./outcomes.ts";
import { type UnusualRequest, unusualRequests } from "./unusual-requests.ts";

const SOON = 10_000;
const headersOf = (secret: string) => `Host: petstore.test\r\nAuthorization: Bearer ${secret}\r\n`;
const names = unusualRequests(headersOf("")).map(({ name }) => name);

/** How the bytes of a request arrive. */
const CUTS: [string, (bytes: string) => string[]][] = [
  ["at once", (bytes) => [bytes]],
  ["in pieces", (bytes) => bytes.match(new RegExp(`[^]{1,${Math.max(7, Math.ceil(bytes.length / 40))}}`, "g")) ?? []],
];

describe.each(["sqlite", "postgres"] as const)("on %s, either nothing is done, or the answer says what:", (store) => {
  test("is what the documents say", () => {
    states(
      "docs/errors.md",
      "For any bytes that arrive, either nothing was done, or the answer says what was done.",
      "unknown method, `OPTIONS *`, `CONNECT` | 405 `method_not_allowed`",
      "trailer fields, extensions of chunks, an upgrade, an unknown `Expect`, CRLF before a request | ignored",
    );
  });
  const service = useService({ store });
  const { key } = useKey(service);
  const pets = async () => (await service.stores.pets.inventory()).available;

  async function outcomeOf({ bytes, statuses, isClosed = false }: UnusualRequest, cut: (bytes: string) => string[]) {
    const connection = await Connection.open(service.url);
    try {
      for (const piece of cut(bytes)) {
        connection.send(piece);
        await new Promise((resolve) => setImmediate(resolve));
      }
      // The interim answer to Expect is none.
      const final = ({ status }: { status: number }) => status >= 200;
      const interim = () => connection.answers.filter((answer) => !final(answer)).length;
      if (isClosed) await connection.untilClosed(SOON);
      else await connection.untilAnswered(statuses.length, SOON);
      if (interim() > 0) await connection.untilAnswered(statuses.length + interim(), SOON);
      return { answers: connection.answers.filter(final), isClosed: connection.isClosed };
    } finally {
      connection.close();
    }
  }

  describe.each(CUTS)("%s", (_, cut) => {
    test.each(names)("%s", async (name) => {
      const request = unusualRequests(headersOf(key.secret)).find((one) => one.name === name);
      if (request === undefined) throw new Error(`there is no request ${name}`);
      const before = await pets();
      const { answers, isClosed } = await outcomeOf(request, cut);
      expect(answers.map(({ status }) => status)).toEqual(request.statuses);
      expect(isClosed).toBe(request.isClosed ?? false);
      for (const answer of answers) expectOwn(answer);
      const created = answers.filter(({ status }) => status === 201).length;
      expect((await pets()) - before).toBe(created);
    });
  });
});
