import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { UPLOADS } from "../../../../src/adapters/http/admin/app.ts";
import { operations } from "../../../../src/adapters/http/admin/operations/index.ts";
import { operations as publicOperations } from "../../../../src/adapters/http/operations/index.ts";

const ROOT = join(import.meta.dir, "../../../..");

/** The calls in a table cell: `GET`, `POST /path` are two calls of one path. */
function callsIn(cell: string): string[] {
  const calls: string[] = [];
  const methods: string[] = [];
  for (const [, method = "", path] of cell.matchAll(/`([A-Z]+)(?: \/admin\/v1([^`?]*)[^`]*)?`/g)) {
    methods.push(method);
    if (path === undefined) continue;
    calls.push(...methods.splice(0).map((each) => `${each} ${path}`));
  }
  return calls;
}

test("every operation has a summary and a description", () => {
  for (const { id, summary, description = "" } of operations) {
    expect({ id, summary }).toEqual({ id, summary: expect.stringMatching(/^[A-Z][^.]{3,40}$/) });
    expect({ id, description }).toEqual({ id, description: expect.stringMatching(/^[A-Z].{10,}\.$/s) });
  }
});

test("each operation has an id of its own", () => {
  for (const all of [operations, publicOperations]) {
    const ids = all.map(({ id }) => id);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  }
});

test("docs/administration.md lists exactly the operations", () => {
  const rows = readFileSync(join(ROOT, "docs/administration.md"), "utf8").matchAll(/^\| (`[A-Z]+[ `].*?) \|/gm);
  const listed = [...rows].flatMap(([, cell = ""]) => callsIn(cell));
  expect(listed.sort()).toEqual(operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`).sort());
});

test("docs/administration.md says what a viewer may not read", () => {
  const withheld = operations.filter(({ method, role }) => method === "get" && role === "admin");
  const nouns = [...new Set(withheld.map(({ path }) => path.split("/")[1]))].toSorted().reverse();
  const text = readFileSync(join(ROOT, "docs/administration.md"), "utf8");
  expect(text).toContain(`\n| viewer | Read everything except the ${nouns.join(" and the ")}. |\n`);
  // Beside what ends their own session.
  const changing = operations.filter(({ method, role }) => method !== "get" && role === "viewer");
  expect(changing.map(({ id }) => id)).toEqual(["signOut"]);
  expect(text).toContain("\n| admin | Read and change everything. |\n");
});

test("the operations that read a body without a schema are those that get it as it arrives", () => {
  const reading = operations.filter(({ request }) => request?.types !== undefined && request.body === undefined);
  expect(reading.map(({ method, path }) => `${method.toUpperCase()} /admin/v1${path}`).toSorted()).toEqual(
    [...UPLOADS].toSorted(),
  );
});
