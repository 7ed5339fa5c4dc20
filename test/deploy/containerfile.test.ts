import { afterAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DockerfileParser, type Instruction } from "dockerfile-ast";
import { runtimeCommand, runtimeEnvironment } from "../../bin/runtime.js";
import { states } from "../support/markdown.ts";
import { temporaryDirectory } from "../support/temporary.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const file = DockerfileParser.parse(readFileSync(join(ROOT, "deploy/Containerfile"), "utf8"));
const all = file.getInstructions();
const last = file.getFROMs().at(-1);

const named = (name: string) => all.filter((instruction) => instruction.getKeyword() === name);
/** The instructions of the final image, not of the build stage. */
const inFinal = (name: string) =>
  named(name).filter((instruction) => instruction.getRange().start.line > (last?.getRange().start.line ?? 0));
const argumentsOf = (instruction: Instruction | undefined) => instruction?.getArguments().map(String) ?? [];

/** Copies from the checkout into the build stage: pairs of source and target. */
const copied = file
  .getCOPYs()
  .filter((copy) => copy.getFlags().every((flag) => flag.getName() !== "from"))
  .flatMap((copy) => {
    const paths = argumentsOf(copy);
    const target = paths.pop() ?? "";
    return paths.map((path) => ({ path, target }));
  });

describe("the Containerfile", () => {
  test("has only valid instructions", () => {
    const known =
      "ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL ONBUILD RUN SHELL STOPSIGNAL USER VOLUME WORKDIR";
    const names = known.split(" ");
    expect(all.map((instruction) => instruction.getKeyword()).filter((name) => !names.includes(name))).toEqual([]);
  });

  test("names images with a registry and a tag of one release", () => {
    expect(file.getFROMs().length).toBeGreaterThan(1);
    for (const from of file.getFROMs()) {
      expect(from.getRegistry()).toMatch(/\./);
      expect(from.getImageTag() ?? "latest").not.toBe("latest");
    }
  });

  test("runs without privileges, has a health check, and stops by SIGTERM", () => {
    states("docs/deploy.md", "and runs as the user `nonroot`", "The image has a health check");
    expect(inFinal("USER").map(argumentsOf)).toEqual([["nonroot"]]);
    expect(argumentsOf(inFinal("HEALTHCHECK")[0]).join(" ")).toContain('"/usr/local/bin/petstore", "health"');
    expect(argumentsOf(inFinal("STOPSIGNAL")[0])).toEqual(["SIGTERM"]);
  });

  test("keeps the database on a volume that its user owns, and listens at the port that it exposes", () => {
    states(
      "docs/deploy.md",
      "The SQLite database is in `/data`: mount a volume there, and no network file system.",
      "In a container the service must listen on 0.0.0.0. The image sets `HOST`; you set `PETSTORE_ADMIN_HOST`, and publish port 8081 on the loopback address only.",
    );
    states("docs/deploy.md", "The image sets `HOST`", "The SQLite database is in `/data`: mount a volume there");
    const env = Object.fromEntries(
      inFinal("ENV")
        .flatMap(argumentsOf)
        .map((option) => option.split("=") as [string, string]),
    );
    const [user = ""] = argumentsOf(inFinal("USER")[0]);
    const [volume = ""] = argumentsOf(inFinal("VOLUME")[0]);
    expect(env).toMatchObject({
      NODE_ENV: "production",
      HOST: "0.0.0.0",
      DATABASE_URL: `sqlite:${volume}/petstore.db`,
    });
    expect(inFinal("EXPOSE").flatMap(argumentsOf)).toEqual([env.PORT ?? ""]);
    const data = file.getCOPYs().find((copy) => argumentsOf(copy).at(-1) === volume);
    expect(data?.getFlags().map(String)).toEqual(["--from=build", `--chown=${user}:${user}`]);
    expect(named("RUN").map(String).join()).toContain(`mkdir ${argumentsOf(data)[0]}`);
  });

  test("is found unhealthy within a minute, and not while it starts", () => {
    const flags = inFinal("HEALTHCHECK").flatMap((one) => [...String(one).matchAll(/--([\w-]+)=(\d+)/g)]);
    const {
      interval = 0,
      timeout = 0,
      retries = 0,
      ...more
    } = Object.fromEntries(flags.map(([, name, n]) => [name, Number(n)]));
    expect((interval + timeout) * retries).toBeWithin(10, 61);
    // What the command says of a service that hangs is kept: it ends before the container's patience does.
    const [, patience] = /TIMEOUT = ([\d_]+);/.exec(readFileSync(join(ROOT, "src/commands/health.ts"), "utf8")) ?? [];
    expect(Number(patience?.replaceAll("_", ""))).toBeWithin(1_000, timeout * 1_000);
    expect(more["start-period"]).toBeGreaterThanOrEqual(10);
  });

  test("has the program that it builds where it starts it and asks for its health", () => {
    const [program = ""] = argumentsOf(inFinal("ENTRYPOINT")[0]).map((text) => String(JSON.parse(text)[0]));
    const copy = file.getCOPYs().find((one) => argumentsOf(one).at(-1) === program);
    expect(copy?.getFlags().map(String)).toEqual(["--from=build"]);
    const [built = ""] = argumentsOf(copy);
    expect(named("RUN").map(String).join()).toContain(`bun deploy/executable.ts ${built} `);
    expect(argumentsOf(named("WORKDIR")[0])[0]).toBe(built.slice(0, built.lastIndexOf("/")));
    expect(argumentsOf(inFinal("HEALTHCHECK")[0]).join(" ")).toContain(`"${program}", "health"`);
  });

  test("builds on a Node that the project supports with what the lock file names, and runs on a base without a shell", () => {
    states("docs/deploy.md", "It has one executable on a base without a shell");
    const { engines } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    const [build, final] = file.getFROMs();
    expect(Bun.semver.satisfies(`${build?.getImageTag()?.replace("-slim", "")}.99.0`, engines.node)).toBe(true);
    expect([build?.getBuildStage(), build?.getImage()]).toEqual(["build", expect.stringContaining("/node:")]);
    // That of C++ programs, with the C library; the tag `debug` has a shell.
    expect(final?.getImage()).toMatch(/\/distroless\/cc-debian\d+:nonroot$/);
    const install = named("RUN").map((one) => argumentsOf(one).join(" "));
    expect(install.filter((text) => text.startsWith("npm"))).toEqual([expect.stringMatching(/^npm ci --omit=dev\b/)]);
    // Bun is one of the optional packages.
    expect(install.join()).not.toMatch(/omit=optional|no-optional|ignore-scripts/);
  });

  test("starts the service itself, not a shell that would not pass on signals", () => {
    states("docs/deploy.md", "It has one executable on a base without a shell, and runs as the user `nonroot`");
    expect(argumentsOf(inFinal("ENTRYPOINT")[0])).toEqual(['["/usr/local/bin/petstore"]']);
    expect(argumentsOf(inFinal("CMD")[0])).toEqual(['["serve"]']);
  });

  test("gives the runtime the same environment as the launcher, as does petstore.service", () => {
    states(
      "docs/running.md",
      "Start it with the variables `BUN_JSC_…` of `deploy/petstore.service` in its environment, as the npm package, the image and the systemd unit do",
    );
    const options = Object.entries(runtimeEnvironment).map((option) => option.join("="));
    expect(inFinal("ENV").flatMap(argumentsOf)).toEqual(expect.arrayContaining(options));
    expect(readFileSync(join(ROOT, "deploy/petstore.service"), "utf8")).toContain(`Environment=${options.join(" ")}\n`);
  });

  test("copies existing files by name, and none that may contain a secret", () => {
    expect(copied.map(({ path }) => path).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(copied.map(({ path }) => path)).not.toContain(".");
    expect(copied.map(({ path }) => path)).not.toContain("deploy");
  });
});

describe("the files that the Containerfile copies", () => {
  const directory = temporaryDirectory();
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test("suffice to build the executable", () => {
    for (const { path, target } of copied) {
      const place = target.endsWith("/")
        ? join(directory, target, path.split("/").at(-1) ?? "")
        : join(directory, target);
      mkdirSync(join(place, ".."), { recursive: true });
      cpSync(join(ROOT, path), place, { recursive: true });
    }
    // For the files that npm installs.
    symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
    const [bun = ""] = runtimeCommand("bun");
    const options = { cwd: directory, encoding: "utf8", env: {} } as const;
    expect(spawnSync(bun, ["deploy/executable.ts", "petstore"], options)).toMatchObject({ status: 0, stderr: "" });
    expect(spawnSync(join(directory, "petstore"), ["--version"], options)).toMatchObject({ status: 0, stderr: "" });
  });
});
