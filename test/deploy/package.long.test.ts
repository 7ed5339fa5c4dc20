import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import manifest from "../../package.json" with { type: "json" };
import { NEEDED_NODE } from "../../src/testing/needed-runtime.ts";
import { states } from "../support/markdown.ts";
import { pack } from "../support/pack.ts";
import { runtimes } from "../support/runtimes.ts";
import { temporaryDirectory } from "../support/temporary.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The most that `npm install` may bring, and with `--omit=dev`, in MB. */
const MEGABYTES = 440;
const PRODUCTION_MEGABYTES = 170;
/** The most that `npm install` of the package may bring, in MB: Bun has 107. */
const PACKAGE_MEGABYTES = 120;

function npm(cwd: string, ...args: string[]): string {
  const options = ["--prefer-offline", "--no-audit", "--no-fund", "--silent"];
  return execFileSync("npm", [...args, ...options], { cwd, encoding: "utf8", env: { ...process.env, CI: "true" } });
}

describe("the package that npm pack makes, installed in an empty directory,", () => {
  const directory = temporaryDirectory();
  const petstore = join(directory, "node_modules/.bin/petstore");
  let files: string[] = [];
  let tarball = "";
  beforeAll(() => {
    const packed = pack(directory);
    files = packed.files.map(({ path }) => path);
    tarball = packed.filename;
    npm(directory, "install", join(directory, tarball));
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test("contains the program, documents and samples, and nothing else", () => {
    states("docs/commands.md", "A checkout and the npm package have sample data");
    const folders = new Set(
      files.map((path) =>
        path.replace(/(?<=^(dist|docs|samples|console\/dist|src\/adapters\/http\/guide\/browser)\/).*/, ""),
      ),
    );
    expect([...folders].sort()).toEqual([
      ".env.example",
      "ARCHITECTURE.md",
      "CHANGELOG.md",
      "CONTRIBUTING.md",
      "LICENSE",
      "README.md",
      "SECURITY.md",
      "bin/petstore.js",
      "bin/runtime.js",
      "client/README.md",
      "console/dist/",
      "dist/",
      "docs/",
      "package.json",
      "samples/",
      "src/adapters/http/guide/browser/",
    ]);
  });

  test("brings Bun and nothing else, and has no install scripts", () => {
    states("CHANGELOG.md", "depends on Bun alone: `npm install` brings 2 packages and runs no install scripts.");
    states("SECURITY.md", "That of the npm package runs none.");
    const lock = JSON.parse(readFileSync(join(directory, "package-lock.json"), "utf8"));
    const names = Object.entries<{ hasInstallScript?: boolean }>(lock.packages).slice(1);
    expect(names.filter(([path]) => !path.startsWith("node_modules/@oven/bun-"))).toMatchObject([
      ["node_modules/@petstore/server", { bin: { petstore: "bin/petstore.js" } }],
    ]);
    expect(names.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
    const { scripts, dependencies } = JSON.parse(
      readFileSync(join(directory, "node_modules/@petstore/server/package.json"), "utf8"),
    );
    expect([scripts, dependencies]).toEqual([undefined, undefined]);
    expect(megabytesIn(join(directory, "node_modules"))).toBeLessThanOrEqual(PACKAGE_MEGABYTES);
  });

  test("says at the installation which Node its module for tests needs, as the samples do", () => {
    states("docs/upgrading.md", "After `npm install --global .`, run `npm uninstall --global @petstore/server` too.");
    states("docs/testing.md", "On a Node older than 22.13, npm says so at the installation.");
    const paths = ["node-test", "jest", "vitest", "playwright"].map((name) => `samples/testing/${name}/package.json`);
    for (const path of ["package.json", ...paths]) {
      const text = readFileSync(join(directory, "node_modules/@petstore/server", path), "utf8");
      expect([path, JSON.parse(text).engines]).toEqual([path, { node: `>=${NEEDED_NODE}` }]);
    }
    const project = temporaryDirectory();
    const install = ["install", join(directory, tarball), "--prefer-offline", "--no-audit", "--no-fund"];
    // `npm run --silent` would silence it.
    install.push("--loglevel=warn");
    const { stderr } = spawnSync("npm", install, { cwd: project, encoding: "utf8" });
    const { stdout } = spawnSync("node", ["--version"], { encoding: "utf8" });
    expect(stderr.includes("EBADENGINE")).toBe(Bun.semver.order(stdout.trim().slice(1), `${NEEDED_NODE}.0`) < 0);
    rmSync(project, { recursive: true });
  });

  test("lets programs read its manifest, and nothing but that and its module for tests", () => {
    const load = (name: string) => {
      const script = `import(${JSON.stringify(name)}, { with: { type: "json" } }).then(({ default: { version } }) => console.log(version))`;
      return spawnSync("node", ["--eval", script], { cwd: directory, encoding: "utf8" }).stdout.trim();
    };
    expect(load("@petstore/server/package.json")).toBe(manifest.version);
    expect(load("@petstore/server/bin/runtime.js")).toBe("");
    // Bun runs a file that begins so as it is, and would translate another one at each start.
    const main = readFileSync(join(directory, "node_modules/@petstore/server/dist/main.js"), "latin1");
    expect(main).toStartWith("// @bun\n");
  });

  test("has the licence of each library that is in its bundle", () => {
    const licenses = readFileSync(join(directory, "node_modules/@petstore/server/dist/LICENSES.txt"), "utf8");
    const names = licenses.split(/^-{80}$/m).map((entry) => entry.trim().split("\n")[0] ?? "");
    expect(Object.keys(manifest.dependencies).filter((name) => !names.includes(name))).toEqual([]);
  });

  test("runs on Bun where the install script of another package has moved Bun", () => {
    const elsewhere = temporaryDirectory();
    writeFileSync(join(elsewhere, "package.json"), '{"private":true,"allowScripts":{"bun":true}}');
    npm(elsewhere, "install", join(directory, tarball), `bun@${manifest.dependencies.bun}`);
    const { PATH } = process.env;
    const version = execFileSync(join(elsewhere, "node_modules/.bin/petstore"), ["--version"], { env: { PATH } });
    expect(version.toString()).toBe(`${manifest.version}\n`);
    rmSync(elsewhere, { recursive: true });
  });

  describe.each(runtimes)("on %s", (runtime) => {
    const env = {
      PATH: process.env.PATH,
      PETSTORE_RUNTIME: runtime,
      DATABASE_URL: `sqlite:${join(directory, `${runtime}.db`)}`,
      PORT: "0",
      PETSTORE_ADMIN_PORT: "0",
    };

    test("prints its version", () => {
      expect(execFileSync(petstore, ["--version"], { env, encoding: "utf8" })).toBe(`${manifest.version}\n`);
    });

    test("serves pets, the documentation, the reference and the console", async () => {
      execFileSync(petstore, ["database", "migrate"], { env });
      const created = execFileSync(petstore, ["keys", "create", "--name", "x", "--plan", "free", "--json"], { env });
      const { key } = JSON.parse(created.toString());
      const child = spawn(petstore, ["serve"], { env, stdio: ["ignore", "pipe", "inherit"] });
      try {
        const { port, adminPort } = await listening(child.stdout);
        const site = `http://127.0.0.1:${port}`;
        const admin = `http://127.0.0.1:${adminPort}`;
        const statusOf = async (url: string, headers = {}) => (await fetch(url, { headers })).status;
        expect(await statusOf(`${site}/v1/pets`, { Authorization: `Bearer ${key}` })).toBe(200);
        for (const path of ["/docs", "/docs/limits", "/docs/reference", "/docs/reference/listPets", "/docs/request.js"])
          expect([path, await statusOf(site + path)]).toEqual([path, 200]);
        expect(await statusOf(`${admin}/console`)).toBe(200);
      } finally {
        child.kill("SIGTERM");
        await once(child, "exit");
      }
    });
  });
});

/** The ports of a service, from its log. */
async function listening(log: Readable): Promise<{ port: number; adminPort: number }> {
  for await (const line of createInterface({ input: log })) {
    const { msg, port, adminPort } = JSON.parse(line);
    if (msg !== "listening") continue;
    log.resume();
    return { port, adminPort };
  }
  throw new Error("the service ended");
}

function megabytesIn(directory: string): number {
  return Number.parseInt(execFileSync("du", ["-sm", directory], { encoding: "utf8" }), 10);
}

test("npm install has brought no more than its bound", () => {
  expect(megabytesIn(join(ROOT, "node_modules"))).toBeLessThanOrEqual(MEGABYTES);
});

test("npm install --omit=dev brings no more than its bound", () => {
  const directory = temporaryDirectory();
  for (const name of ["package.json", "package-lock.json"]) copyFileSync(join(ROOT, name), join(directory, name));
  npm(directory, "install", "--omit=dev", "--ignore-scripts");
  expect(megabytesIn(join(directory, "node_modules"))).toBeLessThanOrEqual(PRODUCTION_MEGABYTES);
});
