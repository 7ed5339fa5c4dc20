import { beforeAll, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { states } from "../../../test/support/markdown.ts";
import { projectWithPackage } from "../support/package.ts";

let project: string;
beforeAll(() => {
  project = projectWithPackage();
});

/** Bundles this program for a browser. */
async function bundled(program: string): Promise<Uint8Array> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: project },
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    write: false,
    logLevel: "silent",
  });
  return outputFiles[0]?.contents ?? new Uint8Array();
}

test("the whole client is under 9 kB, minified and gzipped", async () => {
  states("client/README.md", "It is under 9 kB minified and gzipped,");
  const everything = await bundled(`export * from "@petstore/client";`);
  expect(everything.length).toBeGreaterThan(5_000);
  expect(gzipSync(everything, { level: 9 }).length).toBeLessThan(9_000);
});

test("unused code is left out", async () => {
  const errors = await bundled(`import { NotFoundError } from "@petstore/client"; console.log(NotFoundError);`);
  const text = new TextDecoder().decode(errors);
  expect(text).toContain("NotFoundError");
  expect(text).not.toContain("Idempotency-Key");
  expect(text).not.toContain("RateLimitError");
  expect(errors.length).toBeLessThan(1_000);
});

test("an import without names adds nothing: no file has side effects", async () => {
  expect((await bundled(`import "@petstore/client"; import { PetstoreClient } from "@petstore/client";`)).length).toBe(
    0,
  );
});
