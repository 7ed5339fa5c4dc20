import { expect, test } from "bun:test";
import { ImportProgress, streamed } from "../../../../src/adapters/http/admin/files.ts";
import { type ImportBatch, noLines } from "../../../../src/domain/files.ts";
import { states } from "../../../support/markdown.ts";

test("an import ends with the batch during which its client left", async () => {
  states("docs/errors.md", "400 `validation_failed` with the reason; what was imported so far stays");
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

test("the rejected lines of all reports are one file, with its header once", async () => {
  states(
    "docs/administration.md",
    "With `rejectedLines=true` the reports have the rejected lines as they were, in base64, the first below the header of a CSV file: put together and corrected, they are a file to import.",
  );
  const reports: { done?: boolean; rejectedLines?: string; hasAllRejectedLines?: boolean }[] = [];
  const reported = () => reports.filter(({ rejectedLines }) => rejectedLines !== undefined).length;
  async function* importing(): AsyncGenerator<ImportBatch> {
    let counts = noLines;
    for (let line = 2; line < 5; line++) {
      const rejected = [{ line, end: line, bytes: Buffer.from(`Pet ${line},x`), reason: "it is none" }];
      counts = { ...counts, rejected: counts.rejected + 1 };
      const batch = { added: 0, changed: 0, unchanged: 0, rejected, counts, importId: "import_1", line };
      yield { ...batch, header: Buffer.from("name,categoryId\n") };
      const before = reported();
      while (line < 4 && reported() === before) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        yield { ...batch, rejected: [], header: Buffer.from("name,categoryId\n") };
      }
    }
  }
  const generator = importing();
  const progress = new ImportProgress({ replace: false, rejectedLines: true }, () => {});
  const body = progress.stream(await generator.next(), generator);
  for await (const chunk of body) reports.push(JSON.parse(Buffer.from(chunk).toString()));
  expect(reported()).toBe(3);
  const file = Buffer.concat(reports.map(({ rejectedLines = "" }) => Buffer.from(rejectedLines, "base64")));
  expect(file.toString()).toBe("name,categoryId\nPet 2,x\nPet 3,x\nPet 4,x\n");
  expect(reports.at(-1)).toMatchObject({ done: true, rejected: 3, hasAllRejectedLines: true });
});

test.each([
  [7, true],
  [9, false],
])("rejected lines of %i MiB are all in the reports: %p", async (mebibytes, hasAll) => {
  states("docs/administration.md", "`hasAllRejectedLines` is false if they had more than 8 MiB.");
  async function* importing() {
    for (let line = 1; line <= mebibytes; line++) {
      const rejected = [{ line, end: line, bytes: new Uint8Array(1024 * 1024), reason: "it is none" }];
      const counts = { ...noLines, rejected: line };
      const batch = { added: 0, changed: 0, unchanged: 0, rejected, counts, importId: "import_1", line };
      yield { ...batch, header: new Uint8Array() };
    }
  }
  const generator = importing();
  const progress = new ImportProgress({ replace: false, rejectedLines: true }, () => {});
  let text = "";
  for await (const chunk of progress.stream(await generator.next(), generator)) text += Buffer.from(chunk).toString();
  expect(JSON.parse(text.trimEnd().split("\n").at(-1) ?? "").hasAllRejectedLines).toBe(hasAll);
});
