import { afterAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DockerfileParser, type Instruction } from "dockerfile-ast";
import { runtimeCommand } from "../../bin/runtime.js";
import { temporaryDirectory } from "../support/temporary.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const file = DockerfileParser.parse(readFileSync(join(ROOT, "deploy/Containerfile"), "utf8"));
const all = file.getInstructions();
const last = file.getFROMs().at(-1);

const named = (name: string) => all.filter((instruction) => instruction.getKeyword() === name);
/** Within the image that is run, rather than in one that only builds. */
const inFinal = (name: string) =>
  named(name).filter((instruction) => instruction.getRange().start.line > (last?.getRange().start.line ?? 0));
const argumentsOf = (instruction: Instruction | undefined) => instruction?.getArguments().map(String) ?? [];

/** From the checkout into the image that builds: pairs of what and where to. */
const copied = file
  .getCOPYs()
  .filter((copy) => copy.getFlags().every((flag) => flag.getName() !== "from"))
  .flatMap((copy) => {
    const paths = argumentsOf(copy);
    const target = paths.pop() ?? "";
    return paths.map((path) => ({ path, target }));
  });

describe("the Containerfile", () => {
  test("has instructions that there are", () => {
    const known = "FROM WORKDIR COPY RUN ENV VOLUME EXPOSE STOPSIGNAL HEALTHCHECK USER ENTRYPOINT CMD".split(" ");
    expect(all.map((instruction) => instruction.getKeyword()).filter((name) => !known.includes(name))).toEqual([]);
  });

  test("names its images with their registry and a tag that does not move to another release", () => {
    expect(file.getFROMs().length).toBeGreaterThan(1);
    for (const from of file.getFROMs()) {
      expect(from.getRegistry()).toMatch(/\./);
      expect(from.getImageTag() ?? "latest").not.toBe("latest");
    }
  });

  test("runs as nobody of power, is asked for its health, and stops by SIGTERM", () => {
    expect(inFinal("USER").map(argumentsOf)).toEqual([["nonroot"]]);
    expect(argumentsOf(inFinal("HEALTHCHECK")[0]).join(" ")).toContain('"/usr/local/bin/petstore", "health"');
    expect(argumentsOf(inFinal("STOPSIGNAL")[0])).toEqual(["SIGTERM"]);
  });

  test("starts the service itself, not a shell that would keep signals to itself", () => {
    expect(argumentsOf(inFinal("ENTRYPOINT")[0])).toEqual(['["/usr/local/bin/petstore"]']);
    expect(argumentsOf(inFinal("CMD")[0])).toEqual(['["serve"]']);
  });

  test("copies by name what the checkout has, and nothing that may hold a secret", () => {
    expect(copied.map(({ path }) => path).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(copied.map(({ path }) => path)).not.toContain(".");
    expect(copied.map(({ path }) => path)).not.toContain("deploy");
  });
});

describe("what the Containerfile copies", () => {
  const directory = temporaryDirectory();
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test("suffices to build the executable", () => {
    for (const { path, target } of copied) {
      const place = target.endsWith("/")
        ? join(directory, target, path.split("/").at(-1) ?? "")
        : join(directory, target);
      mkdirSync(join(place, ".."), { recursive: true });
      cpSync(join(ROOT, path), place, { recursive: true });
    }
    // For what npm puts there.
    symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
    const [bun = ""] = runtimeCommand("bun");
    const options = { cwd: directory, encoding: "utf8", env: {} } as const;
    expect(spawnSync(bun, ["deploy/executable.ts", "petstore"], options)).toMatchObject({ status: 0, stderr: "" });
    expect(spawnSync(join(directory, "petstore"), ["--version"], options)).toMatchObject({ status: 0, stderr: "" });
  }, 60_000);
});
