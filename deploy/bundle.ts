/**
 * Bundles the command and `@petstore/server/testing` into dist/, for both runtimes: `bun deploy/bundle.ts`. Node runs no TypeScript
 * below node_modules, and both runtimes start a bundle in half the time or less.
 */
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { BuildConfig, BunPlugin } from "bun";
import { replaceFiles } from "../console/build.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const STACK = join(ROOT, "deploy/disposable-stack.ts");
/** The module `@petstore/server/testing`. */
export const TESTING: string = join(ROOT, "src/testing.ts");

/**
 * Bun runs a file that begins with it as it is. Without it, it would translate the bundle at each start. It then reads the
 * file as Latin-1: characters outside of ASCII must be escaped.
 */
const TRANSLATED = "// @bun";

/** Gives each file its own timers: a test that replaces the global ones, to not wait for Retry-After, does not stop the service. */
export const TIMERS: string =
  "const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate, performance } = globalThis;";

/**
 * What libraries get for the directory and the file that they stand in: a bundle has neither. Bun would write those of the machine
 * that builds, and two machines would build different files.
 */
export const NOWHERE: Record<string, string> = { __dirname: '"/"', __filename: '"/"' };

/** Adapts modules to their place in dist, and to Node 22. `url`: an expression for what `import.meta.url` is in dist. */
export const withinPackage = (url: string): BunPlugin => ({
  name: "within the package",
  setup(build) {
    build.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
      const text = await Bun.file(path).text();
      const stack = text.includes("new AsyncDisposableStack")
        ? `import { AsyncDisposableStack } from ${JSON.stringify(STACK)};`
        : "";
      // Modules that locate files of the project do it from their own place.
      const place = `new URL(${JSON.stringify(relative(join(ROOT, "dist"), path))}, ${url})`;
      const placed = text.replaceAll("import.meta.url", place);
      return { loader: "ts", contents: stack + placed };
    });
  },
});

type Options = { entrypoints?: string[]; naming?: BuildConfig["naming"]; url?: string };

/**
 * Bundles entries, by default both of the package, as ES modules into a directory. `url`: the address, as an expression,
 * from which modules locate files as from dist/.
 */
export async function bundle(
  outdir: string,
  { entrypoints = [join(ROOT, "src/main.ts"), TESTING], naming, url = "import.meta.url" }: Options = {},
): Promise<void> {
  const { outputs } = await Bun.build({
    entrypoints,
    outdir,
    target: "node",
    // What is loaded on demand stays so.
    splitting: true,
    ...(naming === undefined ? {} : { naming }),
    banner: `${TRANSLATED}\n${TIMERS}`,
    define: NOWHERE,
    plugins: [withinPackage(url)],
  });
  for (const { path } of outputs) await Bun.write(path, escaped(await Bun.file(path).text()));
}

/** Such characters occur only in literals and comments, where their escapes mean the same. */
function escaped(program: string): string {
  return program.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Replaces dist/ by what `build` makes. The entries come last: they refer to the other files. The executables stay. */
export async function replaceDist(build: (directory: string) => Promise<void>): Promise<void> {
  await replaceFiles(
    join(ROOT, "dist"),
    build,
    (name) => ["main.js", "testing.js"].includes(name),
    (name) => name.startsWith("executables"),
  );
}

if (import.meta.main) await replaceDist(bundle);
