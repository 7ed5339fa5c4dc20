/** Bundles the console into console/dist, the files that the administration listener serves: `bun console/build.ts`. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = fileURLToPath(new URL(".", import.meta.url));
export const DIST: string = join(HERE, "dist");

/**
 * Builds the console: file names contain a hash of the content. A service that starts meanwhile finds a complete console,
 * old or new. Returns the file names. @throws when bundling fails
 */
export async function buildConsole(): Promise<string[]> {
  // The page comes last: it refers to the other files.
  return replaceFiles(DIST, bundle, (name) => name.startsWith("index"));
}

/**
 * Replaces the files of a directory by those that `build` makes in an empty one, whole files at a time, those that are
 * `last` at the end; others stay if they are `kept`. Returns the names of the new ones.
 */
export async function replaceFiles(
  directory: string,
  build: (empty: string) => Promise<void>,
  isLast: (name: string) => boolean,
  isKept: (name: string) => boolean = () => false,
): Promise<string[]> {
  mkdirSync(directory, { recursive: true });
  const staging = mkdtempSync(join(dirname(directory), ".build-"));
  try {
    await build(staging);
    const names = filesIn(staging);
    for (const name of names.toSorted((a, b) => Number(isLast(a)) - Number(isLast(b)))) {
      mkdirSync(dirname(join(directory, name)), { recursive: true });
      renameSync(join(staging, name), join(directory, name));
    }
    const removed = filesIn(directory).filter((name) => !names.includes(name) && !isKept(name));
    for (const name of removed) rmSync(join(directory, name), { force: true });
    return names;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

async function bundle(outdir: string): Promise<void> {
  const { outputs } = await Bun.build({
    entrypoints: [join(HERE, "index.html")],
    outdir,
    minify: true,
    publicPath: "/console/",
    naming: { entry: "[name].[ext]", chunk: "assets/[name]-[hash].[ext]", asset: "assets/[name]-[hash].[ext]" },
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const pages = outputs.map(({ path }) => path).filter((path) => path.endsWith(".html"));
  for (const page of pages) writeFileSync(page, blockingRender(readFileSync(page, "utf8")));
}

/** Blocks painting until the script has run, so that the dark theme does not flash white. */
function blockingRender(html: string): string {
  return html.replace('<script type="module"', '<script type="module" blocking="render"');
}

function filesIn(directory: string): string[] {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
  return names.filter((name) => statSync(join(directory, name)).isFile()).sort();
}

if (import.meta.main) await buildConsole();
