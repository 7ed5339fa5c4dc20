import { expect, test } from "bun:test";
import { ImportProgress, streamed } from "../../../../src/adapters/http/admin/files.ts";
import { type ImportBatch, noLines } from "../../../../src/domain/files.ts";

test("an import ends with the batch during which its client left", async () => {
  const { promise: hasLeft, resolve: leave } = Promise.withResolvers<void>();
  const { promise: hasEnded, resolve: end } = Promise.withResolvers<void>();
  let batches = 0;
  async function* importing(): AsyncGenerator<ImportBatch> {
    try {
      for (; batches < 50; batches++) {
        if (batches === 3) await hasLeft;
        yield {
          added: 1,
          changed: 0,
          unchanged: 0,
          rejected: [],
          counts: { ...noLines, imported: batches + 1 },
          importId: "import_1",
          line: batches + 1,
          header: new Uint8Array(),
        };
      }
    } finally {
      end();
    }
  }
  const generator = importing();
  const first = await generator.next();
  const failures: unknown[] = [];
  const body = new ImportProgress({ replace: false, rejectedLines: false }, (error) => failures.push(error)).stream(
    first,
    generator,
  );
  await body.cancel();
  leave();
  await hasEnded;
  expect(batches).toBeLessThanOrEqual(3);
  expect(failures).toEqual([]);
});

test("an export ends when its client leaves", async () => {
  let hasEnded = false;
  async function* exporting(): AsyncGenerator<string> {
    try {
      for (;;) yield "a page";
    } finally {
      hasEnded = true;
    }
  }
  const reader = streamed(exporting()).getReader();
  await reader.read();
  await reader.cancel();
  expect(hasEnded).toBe(true);
});
