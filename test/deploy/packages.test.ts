/** What is published, as far as the manifests and the lock file say it. */
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { licenses } from "../../deploy/licenses.ts";
import { BUN_OF, PLATFORMS } from "../../deploy/platforms.ts";
import manifest from "../../package.json" with { type: "json" };
import lock from "../../package-lock.json" with { type: "json" };
import { ROOT, read } from "../support/markdown.ts";

type Package = {
  version?: string;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  dev?: boolean;
  optional?: boolean;
  devOptional?: boolean;
};
const packages: Record<string, Package> = lock.packages;

test("each executable has the Bun of its own platform, in the version that npm installs, and for glibc", () => {
  for (const platform of PLATFORMS) {
    const [system = "", processor = ""] = platform.split("-");
    const { os, cpu, libc, version } = packages[`node_modules/${BUN_OF[platform]}`] ?? {};
    expect([platform, os, cpu]).toEqual([platform, [system === "windows" ? "win32" : system], [processor]]);
    expect([platform, libc]).toEqual([platform, system === "linux" ? ["glibc"] : undefined]);
    expect([platform, version]).toEqual([platform, manifest.dependencies.bun]);
  }
  const named = read("docs/running.md").match(/(?<=petstore-\d+\.\d+\.\d+-)(?:linux|darwin|windows)-\w+/g) ?? [];
  expect([...new Set(named)].sort()).toEqual(PLATFORMS.toSorted());
});

test("the licences that go with a bundle are those of each package in it, with their texts", () => {
  const entries = licenses()
    .split(/^-{80}$/m)
    .map((entry) => entry.trim().split("\n"));
  const within = Object.entries(packages).filter(([path, { dev, optional }]) => path !== "" && !dev && !optional);
  expect(entries.map(([name]) => name)).toEqual(within.map(([path]) => path.split("node_modules/").at(-1)));
  for (const [index, [path]] of within.entries()) {
    const [name = "", ...lines] = entries[index] ?? [];
    const text = lines.join("\n");
    const files = readdirSync(join(ROOT, path)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
    const missing = files.filter((file) => !text.includes(readFileSync(join(ROOT, path, file), "utf8").trim()));
    expect([name, missing]).toEqual([name, []]);
    const { license } = JSON.parse(readFileSync(join(ROOT, path, "package.json"), "utf8"));
    if (files.length === 0) expect([name, text.trim()]).toEqual([name, license]);
  }
});

test("the package has what its users read and run, and not the executables", () => {
  // Patterns apply in their order.
  expect(manifest.files.indexOf("!dist/executables")).toBeGreaterThan(manifest.files.indexOf("dist"));
  const isBuilt = (path: string) => path === "dist" || path === "console/dist";
  const missing = manifest.files.filter(
    (path) => !/[*!]/.test(path) && !isBuilt(path) && !existsSync(join(ROOT, path)),
  );
  expect(missing).toEqual([]);
  expect(manifest.license).toBe(/^(\w+) License/.exec(read("LICENSE"))?.[1] ?? "");
  const { license, version } = JSON.parse(read("client/package.json"));
  expect([license, version]).toEqual([manifest.license, manifest.version]);
  expect(manifest.type).toBe("module");
});

test("npm runs what a checkout, a package and a release need, by the names that it knows", () => {
  const { scripts } = manifest;
  // An installation in a checkout builds the console also where it has no git.
  expect(scripts.prepare.split(" && ").sort()).toEqual(["node bin/console.js", "node bin/hooks.js"]);
  for (const name of ["prepack", "postpack"] as const) expect(scripts[name]).toBe(`bun deploy/package.ts ${name}`);
  expect(scripts.prepublishOnly).toBe("bun deploy/release.ts");
  // Without a shell in between, which would not pass on signals.
  expect(scripts.start).toStartWith("exec node ");
  expect(manifest.bin.petstore).toBe(scripts.start.split(" ")[2] ?? "");
});

test("each file that a script of package.json runs exists, and each program of tests is run by one", () => {
  const words = Object.values(manifest.scripts).flatMap((script) => script.split(" "));
  const paths = words.filter((word) => /^(?:\.\/)?(?:\.ci|bin|deploy|test|bench)\/[\w./-]+$/.test(word));
  expect(paths.length).toBeGreaterThan(15);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  const programs = readdirSync(join(ROOT, "test/faults")).map((name) => `./test/faults/${name}`);
  expect(programs.filter((path) => read(path).includes("bun:test") && !words.includes(path))).toEqual([]);
});
