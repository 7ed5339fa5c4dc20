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
  const staging = mkdtempSync(join(HERE, ".build-"));
  try {
    await bundle(staging);
    const names = filesIn(staging);
    // The page comes last: it refers to the other files.
    for (const name of names.toSorted((a, b) => Number(a.startsWith("index")) - Number(b.startsWith("index")))) {
      mkdirSync(dirname(join(DIST, name)), { recursive: true });
      renameSync(join(staging, name), join(DIST, name));
    }
    for (const name of filesIn(DIST)) if (!names.includes(name)) rmSync(join(DIST, name));
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
  return names.filter((name) => statSync(join(directory, name)).isFile());
}

if (import.meta.main) await buildConsole();
