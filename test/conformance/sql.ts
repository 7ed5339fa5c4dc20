import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Sql, Transaction, Write } from "../../src/adapters/sql/sql.ts";
import { PetstoreError } from "../../src/domain/errors.ts";
import { eventuallyHolds } from "../support/holds.ts";
import { states } from "../support/markdown.ts";
import type { Opened } from "./opened.ts";

const text = fc.string({ unit: "binary" }).filter((one) => !one.includes("\0") && one.isWellFormed());
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

let writers = 0;
const newWriter = () => `writer ${++writers}`;
const insert = (writer: string, number: number | bigint = 1): Write => ({
  text: "INSERT INTO petstore.usage_writers (writer, number, at) VALUES (:writer, :number, :at)",
  values: { at: 0, number, writer },
});
const raise = (writer: string, from: number): Write => ({
  text: "UPDATE petstore.usage_writers SET number = :from + 1 WHERE writer = :writer AND number = :from",
  values: { writer, from },
  mustChange: true,
});

const REFUSED = "invalid_transition";

/** Doubles the number of a writer. With `isRefused` it throws after it has written, tentatively or not. */
function* double(writer: string, isRefused = false, isTentative = false): Transaction<number> {
  const [row] = yield {
    text: "SELECT number FROM petstore.usage_writers WHERE writer = :writer FOR UPDATE",
    values: { writer },
  };
  const number = 2 * Number(row?.number);
  yield {
    text: "UPDATE petstore.usage_writers SET number = :number WHERE writer = :writer",
    values: { number, writer },
    isTentative,
  };
  if (isRefused) throw new PetstoreError(REFUSED);
  return number;
}

/** What every Sql does, whichever engine it speaks to. It needs the schema's table `usage_writers`. */
export function sqlConformance(name: string, open: () => Promise<Opened<Sql>>): void {
  describe(`${name} as a database that speaks SQL`, () => {
    let opened: Opened<Sql>;
    let sql: Sql;
    beforeAll(async () => {
      opened = await open();
      sql = opened.store;
    });
    afterAll(() => opened.close());

    const numberOf = async (writer: string, among: Sql = sql) => {
      const row = await among.first("SELECT number FROM petstore.usage_writers WHERE writer = :writer", { writer });
      return row && BigInt(String(row.number));
    };

    test("gives back every text and every int64 as it was written", async () => {
      await eventuallyHolds(
        fc.asyncProperty(text, int64, async (suffix, number) => {
          const writer = newWriter() + suffix;
          expect(await sql.commit(insert(writer, number))).toBe(true);
          expect(await numberOf(writer)).toBe(number);
        }),
        30,
      );
    });

    test("a parameter is used by its name, as often as it is named", async () => {
      const [one, other] = [newWriter(), newWriter()];
      await sql.commit(insert(one, 5), insert(other, 7));
      const named =
        "SELECT writer FROM petstore.usage_writers WHERE writer IN (:a, :b) AND (number = :n OR number + 2 = :n)";
      const rows = await sql.all(`${named} ORDER BY writer`, { n: 7, b: other, a: one });
      expect(rows.map(({ writer }) => writer)).toEqual([one, other].sort());
    });

    test("gives undefined for no row, and null for NULL", async () => {
      expect(
        await sql.first("SELECT 1 AS one FROM petstore.usage_writers WHERE writer = :w", { w: "" }),
      ).toBeUndefined();
      expect(await sql.all("SELECT 1 AS one FROM petstore.usage_writers WHERE writer = :w", { w: "" })).toEqual([]);
      expect(await sql.first("SELECT max(at) AS at FROM petstore.usage_writers WHERE writer = ''")).toMatchObject({
        at: null,
      });
    });

    test("what was committed is there for another process", async () => {
      const writer = newWriter();
      await sql.commit(insert(writer), raise(writer, 1), raise(writer, 2));
      await opened.refresh();
      expect(await numberOf(writer, opened.other)).toBe(3n);
    });

    test("writes nothing when a statement that must change a row changes none", async () => {
      const [writer, another] = [newWriter(), newWriter()];
      await sql.commit(insert(writer));
      expect(await sql.commit(raise(writer, 1), insert(another), raise(writer, 1))).toBe(false);
      expect(await numberOf(writer)).toBe(1n);
      expect(await numberOf(another)).toBeUndefined();
    });

    test("a statement that need not change a row may change none", async () => {
      const writer = newWriter();
      const { text, values } = raise(writer, 1);
      expect(await sql.commit({ text, values }, insert(writer))).toBe(true);
      expect(await numberOf(writer)).toBe(1n);
    });

    test("writes nothing when a statement fails", async () => {
      const [writer, another] = [newWriter(), newWriter()];
      await sql.commit(insert(writer));
      await expect(sql.commit(raise(writer, 1), insert(another), insert(writer))).rejects.toThrow();
      expect(await numberOf(writer)).toBe(1n);
      expect(await numberOf(another)).toBeUndefined();
    });

    test("transactions that fail or change nothing take none of those with them that run at the same time", async () => {
      states("docs/development/stores.md", "If it fails, each is retried alone, so none fails because of another.");
      const [writer, good, better] = [newWriter(), newWriter(), newWriter()];
      await sql.commit(insert(writer));
      const results = await Promise.allSettled([
        sql.commit(insert(good)),
        sql.commit(insert(newWriter()), insert(writer)),
        sql.commit(insert(newWriter()), raise(writer, 9)),
        sql.commit(insert(better)),
      ]);
      expect(results.map((result) => (result.status === "fulfilled" ? result.value : "failed"))).toEqual([
        true,
        "failed",
        false,
        true,
      ]);
      expect([await numberOf(good), await numberOf(better)]).toEqual([1n, 1n]);
    });

    test("a transaction acts on the rows that it reads, and returns its result", async () => {
      const writer = newWriter();
      await sql.commit(insert(writer, 3));
      const results = await Promise.all([
        sql.transaction(() => double(writer)),
        opened.other.transaction(() => double(writer)),
        sql.transaction(() => double(writer)),
      ]);
      expect(results.toSorted((a, b) => a - b)).toEqual([6, 12, 24]);
      await opened.refresh();
      expect(await numberOf(writer)).toBe(24n);
    });

    test.each([
      ["a write", false],
      ["a tentative write", true],
    ])("what a transaction throws after %s undoes it, and none that runs at the same time", async (_, isTentative) => {
      const [writer, another] = [newWriter(), newWriter()];
      await sql.commit(insert(writer, 1), insert(another, 1));
      const results = await Promise.allSettled([
        sql.transaction(() => double(another)),
        sql.transaction(() => double(writer, true, isTentative)),
        sql.transaction(() => double(another)),
      ]);
      const [first, refused, second] = results.map((each) =>
        each.status === "fulfilled" ? each.value : each.reason.code,
      );
      expect([first, second].toSorted()).toEqual([2, 4]);
      expect(refused).toBe(REFUSED);
      // On each connection, also on the one that was refused.
      await Promise.all(Array.from({ length: 8 }, () => sql.transaction(() => double(another))));
      expect([await numberOf(writer), await numberOf(another)]).toEqual([1n, 1_024n]);
    });

    test("a statement that fails undoes its transaction, wherever it is, and none that runs at the same time", async () => {
      const [taken, another] = [newWriter(), newWriter()];
      await sql.commit(insert(taken), insert(another));
      const added: string[] = [];
      /** Adds three writers. The one at `position` exists already. */
      function* addThree(position: number): Transaction<void> {
        for (const i of [0, 1, 2]) {
          const writer = newWriter();
          added.push(writer);
          yield insert(i === position ? taken : writer);
        }
      }
      const results = await Promise.allSettled([
        ...[0, 1, 2].map((position) => sql.transaction(() => addThree(position))),
        sql.transaction(() => double(another)),
      ]);
      expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected", "fulfilled"]);
      for (const writer of added) expect(await numberOf(writer)).toBeUndefined();
      expect(await numberOf(another)).toBe(2n);
      await sql.transaction(() => addThree(-1));
      expect(await numberOf(added.at(-1) ?? "")).toBe(1n);
    });

    test("of transactions that change the same row, by however many processes, one after the other succeeds", async () => {
      const writer = newWriter();
      await sql.commit(insert(writer, 0));
      const count = async (among: Sql) => {
        for (let raised = 0; raised < 5; ) {
          const number = Number(await numberOf(writer, among));
          if (await among.commit(raise(writer, number))) raised += 1;
          else await opened.refresh();
        }
      };
      await Promise.all([count(sql), count(opened.other), count(sql)]);
      await opened.refresh();
      expect(await numberOf(writer)).toBe(15n);
    });
  });
}
