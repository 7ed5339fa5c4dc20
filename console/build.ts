/** Bundles the console into console/dist: hashed names, and each file also compressed. `bun console/build.ts` */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const place = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Makes the console anew in `outdir`. Gives the paths of what a browser asks for. @throws when it cannot be bundled */
export async function buildConsole(outdir: string = place("dist")): Promise<string[]> {
  rmSync(outdir, { recursive: true, force: true });
  const { outputs } = await Bun.build({
    entrypoints: [place("index.html")],
    outdir,
    minify: true,
    publicPath: "/console/",
    naming: { entry: "[name].[ext]", chunk: "assets/[name]-[hash].[ext]", asset: "assets/[name]-[hash].[ext]" },
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const paths = outputs.map(({ path }) => path);
  for (const path of paths) {
    if (path.endsWith(".html")) writeFileSync(path, waitingForTheme(readFileSync(path, "utf8")));
    const bytes = readFileSync(path);
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
  }
  return paths;
}

/** The page is not painted before its program has run: who chose the dark is not flashed at. */
function waitingForTheme(html: string): string {
  return html.replace('<script type="module"', '<script type="module" blocking="render"');
}

if (import.meta.main) await buildConsole();
