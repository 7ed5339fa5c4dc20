import { beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { pack } from "../../../test/support/pack.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";

/** The package of the service, which has the module `@petstore/server/testing`. The tools that check it are the client's. */
let bytes: Uint8Array<ArrayBuffer>;
beforeAll(() => {
  const place = temporaryDirectory();
  const { filename } = pack(place);
  bytes = new Uint8Array(readFileSync(join(place, filename)));
});

test("publint finds no problems in the package of the service", async () => {
  expect((await publint({ strict: true, pack: { tarball: bytes.buffer } })).messages).toEqual([]);
});

test("arethetypeswrong finds no problems in @petstore/server/testing, as an ES module and as CommonJS", async () => {
  const { types, ...analysis } = await checkPackage(createPackageFromTarballData(bytes));
  if (types === false || !("problems" in analysis)) throw new Error("there are no types");
  // The resolution of Node 10 knew no exports.
  const found = analysis.problems.filter(
    (problem) => !("resolutionKind" in problem && problem.resolutionKind === "node10"),
  );
  expect(found).toEqual([]);
  expect(Object.keys(analysis.entrypoints)).toContain("./testing");
});
