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
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const HERE = fileURLToPath(new URL(".", import.meta.url));
export const DIST: string = join(HERE, "dist");

/**
 * Makes the console anew: names that hold a hash of what is in them, and each file compressed beside it. A service that
 * starts meanwhile finds a whole console, the one before or this one. Gives the names. @throws when it cannot be bundled
 */
export async function buildConsole(): Promise<string[]> {
  const place = mkdtempSync(join(HERE, ".build-"));
  try {
    await bundle(place);
    const names = filesIn(place);
    // The page last: it names the others.
    for (const name of names.toSorted((a, b) => Number(a.startsWith("index")) - Number(b.startsWith("index")))) {
      mkdirSync(dirname(join(DIST, name)), { recursive: true });
      renameSync(join(place, name), join(DIST, name));
    }
    for (const name of filesIn(DIST)) if (!names.includes(name)) rmSync(join(DIST, name));
    return names;
  } finally {
    rmSync(place, { recursive: true, force: true });
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
  for (const { path } of outputs) {
    if (path.endsWith(".html")) writeFileSync(path, waitingForTheme(readFileSync(path, "utf8")));
    const bytes = readFileSync(path);
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
  }
}

/** The page is not painted before its program has run: who chose the dark is not flashed at. */
function waitingForTheme(html: string): string {
  return html.replace('<script type="module"', '<script type="module" blocking="render"');
}

function filesIn(directory: string): string[] {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
  return names.filter((name) => statSync(join(directory, name)).isFile());
}

if (import.meta.main) await buildConsole();
