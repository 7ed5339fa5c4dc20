/**
 * Builds dist/, which the npm package has instead of the sources: Node runs no TypeScript below node_modules, and both
 * runtimes start a bundle in half the time or less. `npm pack` runs it: `bun deploy/package.ts`.
 */
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { BunPlugin } from "bun";
import { replaceFiles } from "../console/build.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/**
 * Bun runs a file that begins with it as it is. Without it, it would translate the bundle at each start. It then reads the
 * file as Latin-1: characters outside of ASCII must be escaped.
 */
const TRANSLATED = "// @bun";

/** The modules that locate files of the project do it from dist as from their own place. */
const withinPackage: BunPlugin = {
  name: "within the package",
  setup(build) {
    build.onLoad({ filter: /\/src\/.*files\.ts$/ }, async ({ path }) => {
      const place = `new URL(${JSON.stringify(relative(join(ROOT, "dist"), path))}, import.meta.url)`;
      return { loader: "ts", contents: (await Bun.file(path).text()).replaceAll("import.meta.url", place) };
    });
  },
};

async function bundle(outdir: string): Promise<void> {
  const { outputs } = await Bun.build({
    entrypoints: [join(ROOT, "src/main.ts")],
    outdir,
    target: "node",
    // What is loaded on demand stays so.
    splitting: true,
    banner: TRANSLATED,
    // The service sends its files.
    external: ["swagger-ui-dist"],
    plugins: [withinPackage],
  });
  for (const { path } of outputs) await Bun.write(path, escaped(await Bun.file(path).text()));
}

/** Such characters occur only in literals and comments, where their escapes mean the same. */
function escaped(program: string): string {
  return program.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

// The entry comes last: it refers to the other files.
await replaceFiles(join(ROOT, "dist"), bundle, (name) => name === "main.js");
