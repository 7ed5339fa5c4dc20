import { afterAll, beforeAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import manifest from "../../package.json" with { type: "json" };
import { states } from "../support/markdown.ts";
import { copyOfCheckout } from "../support/pack.ts";
import { temporaryDirectory } from "../support/temporary.ts";

const PLATFORM = `${process.platform}-${process.arch}`;
const TAG = `v${manifest.version}`;

let checkout: string;
let artifact: string;
beforeAll(() => {
  checkout = copyOfCheckout();
  artifact = temporaryDirectory();
});
afterAll(() => {
  for (const directory of [checkout, artifact]) rmSync(directory, { recursive: true, force: true });
});

type Step = { run?: string; if?: string };

/** The commands of a job of the workflow. */
function commandsOf(job: string): string[] {
  const { jobs } = parse(readFileSync(join(checkout, ".github/workflows/release.yml"), "utf8"));
  return jobs[job].steps.flatMap((step: Step) => (step.run === undefined || step.if !== undefined ? [] : [step.run]));
}

/** Runs commands as the workflow does, in one of its shells. */
function run(commands: string[], cwd: string, env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync("bash", ["-e", "-o", "pipefail", "-c", commands.join("\n")], {
    cwd,
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: process.env.HOME, CI: "true", GITHUB_REF_NAME: TAG, ...env },
  });
  return { status, stdout, stderr };
}

const check = (env: Record<string, string> = {}) => run(["npm run --silent prepublishOnly"], checkout, env);
const changeFile = (name: string, change: (text: string) => string) => {
  const path = join(checkout, name);
  writeFileSync(path, change(readFileSync(path, "utf8")));
};

test("a release is refused while a manifest has placeholders, and names each", () => {
  states(
    "CHANGELOG.md",
    "A release is refused while the manifests have placeholders for the repository and the contact, or the changelog has no section with a date for it.",
  );
  const { status, stderr } = check();
  expect(status).toBe(1);
  const named = ["package.json", "client/package.json"].flatMap((path) =>
    ["repository", "homepage", "bugs", "author"].map((field) => `${path} has a placeholder for ${field}: `),
  );
  expect(stderr.trim().split("\n")).toEqual(named.map((start) => expect.stringContaining(start)));
  const { status: published, stderr: why } = run(["npm publish --dry-run"], checkout);
  expect(published).not.toBe(0);
  expect(why).toContain("package.json has a placeholder for repository: ");
});

test("a release is made when they have none: the workflow, run dry on this machine", () => {
  for (const path of ["package.json", "client/package.json"])
    changeFile(path, (text) =>
      text.replaceAll("git.example.com/example", "git.petstore.dev/shop").replace("example.com", "petstore.dev"),
    );
  expect(check()).toEqual({ status: 0, stdout: "", stderr: "" });
  expect(check({ GITHUB_REF_NAME: "v9.9.9" }).stderr).toBe(`The tag is v9.9.9, not ${TAG}.\n`);

  changeFile("client/package.json", (text) => text.replace(/("version": )"[^"]+"/, '$1"9.9.9"'));
  expect(check().stderr).toBe(`client/package.json has version 9.9.9, not ${manifest.version}.\n`);
  changeFile("client/package.json", (text) => text.replace('"9.9.9"', `"${manifest.version}"`));

  // What an earlier build left would have no checksum.
  mkdirSync(join(checkout, "dist/executables"), { recursive: true });
  writeFileSync(join(checkout, "dist/executables/petstore-0.9.0-linux-x64"), "");
  const [install, ...others] = commandsOf("build");
  // The copy has the packages of the checkout, and this machine's executable stands for all.
  expect(install).toStartWith("npm install");
  const build = others.map((command) => command.replace(/^npm run build:executable$/, `$& -- ${PLATFORM}`));
  expect(run(build, checkout)).toMatchObject({ status: 0 });
  cpSync(join(checkout, "dist/executables"), artifact, { recursive: true });
  const name = `petstore-${manifest.version}-${PLATFORM}`;
  const files = ["LICENSES.txt", "SHA256SUMS", name, "petstore.service"];
  expect(readdirSync(artifact).sort()).toEqual(files);

  const place = join(artifact, "try");
  mkdirSync(place);
  for (const file of files) cpSync(join(artifact, file), join(place, file));
  const tries = commandsOf("try").map((command) => command.replaceAll(/\$\{\{ matrix\.platform \}\}/g, PLATFORM));
  const tried = run(tries, place);
  expect(tried).toMatchObject({ status: 0 });
  expect(tried.stdout).toStartWith(`${manifest.version}\n`);

  // What would be sent to GitHub is printed.
  const desk = temporaryDirectory();
  writeFileSync(join(desk, "gh"), '#!/bin/sh\nprintf "%s\\n" "$@"\n');
  chmodSync(join(desk, "gh"), 0o755);
  mkdirSync(join(desk, "files"));
  for (const file of files) cpSync(join(artifact, file), join(desk, "files", file));
  const { stdout } = run(commandsOf("release"), desk, { PATH: `${desk}:${process.env.PATH}` });
  const [verb, noun, tag, ...rest] = stdout.trim().split("\n");
  expect([verb, noun, tag]).toEqual(["release", "create", TAG]);
  expect(rest.filter((word) => word.startsWith("files/")).sort()).toEqual(files.map((file) => `files/${file}`));
  rmSync(desk, { recursive: true });
});

test("a packing that was killed leaves the manifest of the checkout beside the one that it made, and the next one restores it", () => {
  const own = readFileSync(join(checkout, "package.json"), "utf8");
  writeFileSync(join(checkout, ".package.json"), own);
  writeFileSync(join(checkout, "package.json"), "{}");
  for (const step of ["prepack", "postpack"])
    expect(run([`node_modules/.bin/bun deploy/package.ts ${step}`], checkout)).toMatchObject({ status: 0, stderr: "" });
  expect(readFileSync(join(checkout, "package.json"), "utf8")).toBe(own);
  expect(readdirSync(checkout)).not.toContain(".package.json");
});

test("a release is refused without a dated section of its version in the changelog", () => {
  changeFile("CHANGELOG.md", (text) => text.replace(/^(## \[1\.0\.0\]) - .*/m, "$1"));
  expect(check()).toMatchObject({
    status: 1,
    stderr: `CHANGELOG.md has no section for ${manifest.version} with a date.\n`,
  });
});
