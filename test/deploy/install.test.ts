import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { states } from "../support/markdown.ts";

const ROOT = join(import.meta.dir, "../..");
const read = (path: string) => JSON.parse(readFileSync(join(ROOT, path), "utf8"));

type Package = {
  dev?: boolean;
  devOptional?: boolean;
  optional?: boolean;
  engines?: { node?: string };
  hasInstallScript?: boolean;
};
const { "": project, ...packages } = read("package-lock.json").packages as Record<string, Package>;
const all = Object.entries(packages);

/** npm installs fewer on one machine: packages for other platforms are optional. */
const required = all.filter(([, { optional }]) => optional !== true);

test("the packages of npm install stay within their bounds", () => {
  const production = required.filter(([, { dev, devOptional }]) => dev !== true && devOptional !== true);
  states(
    "ARCHITECTURE.md",
    `\`npm install\` brings ${required.length} packages and those of the platform, \`npm install --omit=dev\` ${production.length};`,
  );
  expect(required.length).toBeLessThanOrEqual(190);
  expect(production.length).toBeLessThanOrEqual(92);
});

describe("npm prints no warnings:", () => {
  test.each(["20.19.0", "22.13.0", "24.0.0", "26.0.0"])("every package runs on Node %s", (version) => {
    expect(project?.engines?.node).toBe(">=20");
    const refusing = all.filter(([, { engines }]) => !Bun.semver.satisfies(version, engines?.node ?? "*"));
    expect(refusing.map(([path, { engines }]) => `${path}: ${engines?.node}`)).toEqual([]);
  });

  test("package.json decides for every package whether its install script may run", () => {
    const named = Object.keys(read("package.json").allowScripts);
    const scripted = all
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path]) => path.split("node_modules/").at(-1) ?? "");
    expect(scripted.filter((name) => !named.includes(name))).toEqual([]);
    expect(named.filter((name) => !scripted.includes(name))).toEqual([]);
  });
});
