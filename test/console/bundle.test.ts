import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** What the console may bring along: its own files, its two libraries, and rules of the domain; no zod, nothing of Node. */
const allowed = [/^console\//, /^node_modules\/(preact|uplot)\//, /^src\/domain\//];

test("the bundle contains the console, its two libraries and rules of the domain", async () => {
  const { metafile } = await Bun.build({ entrypoints: [join(ROOT, "console/index.html")], metafile: true, root: ROOT });
  const inputs = Object.keys(metafile?.inputs ?? {}).map((path) => relative(ROOT, join(process.cwd(), path)));
  expect(inputs).toContain("console/src/main.tsx");
  expect(inputs.filter((path) => !allowed.some((one) => one.test(path)))).toEqual([]);
});

test("every stylesheet is in the bundle", async () => {
  const { metafile } = await Bun.build({ entrypoints: [join(ROOT, "console/index.html")], metafile: true, root: ROOT });
  const inputs = Object.keys(metafile?.inputs ?? {}).map((path) => relative(ROOT, join(process.cwd(), path)));
  const styles = readdirSync(join(ROOT, "console/src/style")).map((name) => `console/src/style/${name}`);
  expect(styles.filter((path) => !inputs.includes(path))).toEqual([]);
});
