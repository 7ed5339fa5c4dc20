import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { runtimeCommand } from "../../bin/runtime.js";
import lock from "../../package-lock.json" with { type: "json" };
import { states } from "../support/markdown.ts";
import { temporaryDirectory } from "../support/temporary.ts";

const BUILD = fileURLToPath(new URL("../../deploy/executables.ts", import.meta.url));
/** Those that `.ci/run` builds: the one that the build signs, and another one. `npm run build:executable` builds all. */
const PLATFORMS = ["darwin-x64", "windows-x64"];

const { version: bunVersion } = lock.packages["node_modules/@oven/bun-darwin-x64"];
const isOnline = spawnSync("npm", ["view", `@oven/bun-darwin-x64@${bunVersion}`, "version"]).status === 0;
if (!isOnline) console.log("left out: the executables of other platforms, because the npm registry does not answer");

function build(...args: string[]) {
  const [bun = "", ...options] = runtimeCommand("bun");
  return spawnSync(bun, [...options, BUILD, ...args], { encoding: "utf8" });
}

test("an unknown platform is named, with those that exist", () => {
  const { status, stderr } = build("linux-x64", "solaris-x64");
  expect(status).toBe(2);
  expect(stderr).toBe(
    "Unknown: solaris-x64. Platforms are linux-x64, linux-arm64, darwin-arm64, darwin-x64, windows-x64.\n",
  );
});

test("a Bun that is not the one of package-lock.json is refused", async () => {
  states("docs/running.md", "and the build compares it with the checksum in `package-lock.json`");
  const directory = temporaryDirectory();
  const name = "@oven/bun-windows-x64";
  mkdirSync(join(directory, "package/bin"), { recursive: true });
  writeFileSync(join(directory, "package/package.json"), JSON.stringify({ name, version: bunVersion }));
  writeFileSync(join(directory, "package/bin/bun.exe"), "another program");
  spawnSync("tar", ["-czf", "packed.tgz", "package"], { cwd: directory });
  const tarball = readFileSync(join(directory, "packed.tgz"));
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  const registry = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }): Response => {
      if (url.endsWith(".tgz")) return new Response(tarball);
      const dist = { tarball: new URL("/packed.tgz", url).href, integrity };
      const versions = { [bunVersion]: { name, version: bunVersion, dist } };
      return Response.json({ name, "dist-tags": { latest: bunVersion }, versions });
    },
  });
  const [bun = "", ...options] = runtimeCommand("bun");
  const outdir = join(directory, "built");
  const child = spawn(bun, [...options, BUILD, "windows-x64", "--outdir", outdir], {
    env: { ...process.env, npm_config_registry: `${registry.url}`, npm_config_cache: join(directory, "cache") },
  });
  const [[code], stderr] = await Promise.all([once(child, "exit"), text(child.stderr)]);
  await registry.stop(true);
  const { integrity: expected } = lock.packages[`node_modules/${name}`];
  expect(stderr).toContain(`${name}@${bunVersion} has ${integrity}, not ${expected} as in package-lock.json.`);
  expect(code).toBe(1);
  expect(readdirSync(outdir)).toEqual([]);
  rmSync(directory, { recursive: true });
});

if (isOnline) {
  describe("the executables of other platforms", () => {
    const outdir = temporaryDirectory();
    const files = new Map<string, Buffer>();
    const file = (platform: string) =>
      [...files].find(([name]) => name.startsWith(`petstore-${lock.version}-${platform}`))?.[1] ?? Buffer.alloc(0);
    beforeAll(() => {
      expect(build(...PLATFORMS, "--outdir", outdir).status).toBe(0);
      for (const name of readdirSync(outdir)) files.set(name, readFileSync(join(outdir, name)));
    });
    afterAll(() => rmSync(outdir, { recursive: true, force: true }));

    test("are listed in SHA256SUMS, as sha256sum writes it", () => {
      states("docs/running.md", "`SHA256SUMS` beside it has the checksums, in the format of `sha256sum`");
      const named = [`petstore-${lock.version}-darwin-x64`, `petstore-${lock.version}-windows-x64.exe`];
      expect([...files.keys()].sort()).toEqual(["LICENSES.txt", "SHA256SUMS", ...named]);
      const { status, stdout } = spawnSync("sha256sum", ["--check", "--strict", "SHA256SUMS"], {
        cwd: outdir,
        encoding: "utf8",
      });
      expect({ status, stdout }).toEqual({ status: 0, stdout: named.map((name) => `${name}: OK\n`).join("") });
    });

    test.each(PLATFORMS)("contain the service, its console and its documentation: %s", (platform) => {
      for (const part of ["This is a new store. Its first key", "Operator token", "Send this request", "# Known traps"])
        expect([part, file(platform).includes(part)]).toEqual([part, true]);
    });

    test("is a program of Windows for x64", () => {
      const windows = file("windows-x64");
      const header = windows.readUInt32LE(0x3c);
      expect(windows.toString("latin1", 0, 2)).toBe("MZ");
      expect(windows.toString("latin1", header, header + 4)).toBe("PE\0\0");
      expect(windows.readUInt16LE(header + 4)).toBe(0x8664);
    });

    test("is a program of macOS for x64 whose every page has its hash in the signature", () => {
      states("docs/running.md", "the files have an ad-hoc signature, which names no developer");
      const darwin = file("darwin-x64");
      expect(darwin.readUInt32LE(0)).toBe(0xfeedfacf);
      expect(darwin.readUInt32LE(4)).toBe(0x01000007);
      const { directory, end, code } = codeDirectoryOf(darwin);
      expect(end).toBe(darwin.length);
      const [, length, , flags, hashesAt = 0, identifierAt = 0, others, pages, limit = 0] = words(directory, 9);
      expect([flags, others]).toEqual([0x20002, 0]);
      expect(length).toBe(hashesAt + 32 * (pages ?? 0));
      // SHA-256 with its 32 bytes, of pages of 2 ** 12 bytes; the code of a main program, which dyld maps.
      expect([...directory.subarray(36, 40)]).toEqual([32, 2, 0, 12]);
      const executable = [64, 72, 80].map((at) => directory.readBigUInt64BE(at));
      expect(executable).toEqual([code.offset, code.bytes, 1n]);
      expect(code.bytes).toBeGreaterThan(0n);
      expect(directory.toString("latin1", identifierAt, hashesAt)).toBe("petstore\0");
      expect(pages).toBe(Math.ceil(limit / 4096));
      const wrong = Array.from({ length: pages ?? 0 }, (_, page) => page).filter((page) => {
        const bytes = darwin.subarray(page * 4096, Math.min((page + 1) * 4096, limit));
        const hash = directory.subarray(hashesAt + page * 32, hashesAt + (page + 1) * 32);
        return !createHash("sha256").update(bytes).digest().equals(hash);
      });
      expect(wrong).toEqual([]);
    });
  });
}

const words = (bytes: Buffer, count: number) => Array.from({ length: count }, (_, at) => bytes.readUInt32BE(at * 4));

/** The code directory of a Mach-O file, where its signature ends, and where its code is, as its load commands and its segments say. */
function codeDirectoryOf(file: Buffer) {
  let directory: Buffer = Buffer.alloc(0);
  let code = { offset: -1n, bytes: 0n };
  let [end, segmentEnd] = [0, 0];
  for (let at = 32, count = file.readUInt32LE(16); count > 0; count--) {
    const command = file.readUInt32LE(at);
    if (command === 0x19) segmentEnd = Number(file.readBigUInt64LE(at + 40) + file.readBigUInt64LE(at + 48));
    if (command === 0x19 && file.toString("latin1", at + 8, at + 15) === "__TEXT\0")
      code = { offset: file.readBigUInt64LE(at + 40), bytes: file.readBigUInt64LE(at + 48) };
    if (command === 0x1d) {
      const from = file.readUInt32LE(at + 8);
      end = from + file.readUInt32LE(at + 12);
      expect(file.readUInt32BE(from)).toBe(0xfade0cc0);
      directory = file.subarray(from + file.readUInt32BE(from + 16));
    }
    at += file.readUInt32LE(at + 4);
  }
  expect(segmentEnd).toBe(end);
  expect(directory.readUInt32BE(0)).toBe(0xfade0c02);
  return { directory, end, code };
}
