/**
 * Builds the executables of all platforms, or of those that are named, with their checksums:
 * `bun deploy/executables.ts [PLATFORM…] [--outdir DIRECTORY]`.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildConsole } from "../console/build.ts";
import lock from "../package-lock.json" with { type: "json" };
import { signAdHoc } from "./code-signature.ts";
import { compile } from "./executable.ts";
import { licenses } from "./licenses.ts";
import { BUN_OF, PLATFORMS, type Platform } from "./platforms.ts";

const HERE = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
const isWindows = (platform: Platform) => platform.startsWith("windows");

/**
 * Returns the path of the Bun of another platform, below `directory`: npm downloads it, or has it in its cache.
 * @throws when npm cannot, or when it is not what package-lock.json names
 */
function fetchBun(platform: Platform, directory: string): string {
  const name = BUN_OF[platform];
  const { version, integrity } = lock.packages[`node_modules/${name}`];
  const into = join(directory, platform);
  mkdirSync(into);
  const packed = run("npm", ["pack", "--loglevel=error", "--prefer-offline", `${name}@${version}`], into).trim();
  const actual = `sha512-${createHash("sha512")
    .update(readFileSync(join(into, packed)))
    .digest("base64")}`;
  if (actual !== integrity)
    throw new Error(`${name}@${version} has ${actual}, not ${integrity} as in package-lock.json.`);
  run("tar", ["-xzf", packed], into);
  return join(into, "package/bin", isWindows(platform) ? "bun.exe" : "bun");
}

function run(program: string, args: string[], cwd: string): string {
  const { status, stdout } = spawnSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} fails.`);
  return stdout;
}

const { values, positionals } = parseArgs({ options: { outdir: { type: "string" } }, allowPositionals: true });
const unknown = positionals.filter((name) => !(name in BUN_OF));
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(", ")}. Platforms are ${PLATFORMS.join(", ")}.`);
  process.exit(2);
}
const wanted = PLATFORMS.filter((platform) => positionals.length === 0 || positionals.includes(platform));
const own = fileURLToPath(new URL("../dist/executables", import.meta.url));
const outdir = values.outdir ?? own;
const { version } = lock;
const consoleNames = await buildConsole();
const downloads = mkdtempSync(join(tmpdir(), "petstore-executables-"));
try {
  // Files of an earlier build would not be in SHA256SUMS. Another directory may have other files.
  if (outdir === own) rmSync(outdir, { recursive: true, force: true });
  mkdirSync(outdir, { recursive: true });
  let sums = "";
  for (const platform of wanted) {
    const executablePath = platform === HERE ? process.execPath : fetchBun(platform, downloads);
    const name = `petstore-${version}-${platform}${isWindows(platform) ? ".exe" : ""}`;
    const path = join(outdir, name);
    await compile(path, consoleNames, { target: `bun-${platform}`, executablePath });
    // Bun signs the other one, and leaves here the signature of what it was before.
    if (platform === "darwin-x64") signAdHoc(path, "petstore");
    sums += `${createHash("sha256").update(readFileSync(path)).digest("hex")}  ${name}\n`;
    console.log(path);
  }
  writeFileSync(join(outdir, "SHA256SUMS"), sums);
  writeFileSync(join(outdir, "LICENSES.txt"), licenses());
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(downloads, { recursive: true, force: true });
}
