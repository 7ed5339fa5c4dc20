import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryDirectory } from "../support/temporary.ts";

/** Installed or built: its files are linked instead of copied. */
const LINKED = ["node_modules", "client/node_modules", "client/dist", ".ci/tools/node_modules"];
/** Where what is reached leaves its name, below a checkout: what is in .git is in no list of files. */
const REACHED = ".git/reached";

/** How long TypeScript may take, in ms. */
const TYPES_TIMEOUT = 240_000;

/** How a test file went: the name of its first failing test, if one fails, and how long it took, in ms. */
export type Outcome = { failure?: string; took: number };

/** A copy of the working tree in which tests run and faults are planted. */
export class Checkout {
  readonly directory: string = temporaryDirectory();
  readonly #postgres: string;

  /** Copies what git would commit. `postgres`: the URL of the server that tests share. */
  constructor(postgres: string) {
    this.#postgres = postgres;
    // Run by root, a PostgreSQL server of a test runs as another user, who needs to traverse this directory.
    chmodSync(this.directory, 0o711);
    for (const path of [...filesOf("."), "console/dist"].filter(existsSync)) {
      cpSync(path, join(this.directory, path), { recursive: true });
    }
    for (const path of LINKED.filter(existsSync)) {
      mkdirSync(dirname(join(this.directory, path)), { recursive: true });
      link(path, join(this.directory, path));
    }
    for (const args of [
      ["init", "--quiet"],
      ["add", "--all"],
    ])
      execFileSync("git", args, { cwd: this.directory });
  }

  /** Gives files another text, until `restore`. */
  plant(texts: Map<string, string>): void {
    for (const [file, text] of texts) writeFileSync(join(this.directory, file), text);
    this.#rebuild([...texts.keys()]);
  }

  /** Gives files the text that they have in the working tree. */
  restore(files: string[]): void {
    for (const file of files) cpSync(file, join(this.directory, file));
    this.#rebuild(files);
  }

  /**
   * Runs test files, for so many ms at most, until one fails: one after the other in a process, or else two at a time. A fault
   * that makes them hang is noticed.
   */
  async run(tests: string[], timeout: number, inOneProcess = false): Promise<Outcome> {
    const startedAt = performance.now();
    const several = inOneProcess ? ["--no-isolate"] : tests.length > 1 ? ["--parallel=2"] : [];
    const options = ["--no-orphans", "--only-failures", "--bail", "--timeout=30000", ...several];
    const args = ["test", ...options, ...tests.map((test) => `./${test}`)];
    const { code, printed } = await this.#start(process.execPath, args, timeout);
    const took = performance.now() - startedAt;
    if (code === 0) return { took };
    const failed = /^\(fail\) (.+?)(?: \[[\d.]+ms\])?$/m.exec(printed)?.[1];
    return { took, failure: failed ?? (code === null ? "it hangs" : (printed.trim().split("\n").at(-1) ?? "")) };
  }

  /** The first error that TypeScript finds in the project of this file, if there is one. */
  async typeError(file: string): Promise<string | undefined> {
    const project = ["client", "console"].find((folder) => file.startsWith(`${folder}/`)) ?? ".";
    // What TypeScript has learnt before makes the next time five times as fast.
    const learnt = ["--incremental", "--tsBuildInfoFile", join(this.directory, `.git/types-${project}`)];
    const args = ["node_modules/typescript/bin/tsc", "-p", project, "--noEmit", ...learnt];
    const { code, printed } = await this.#start(process.execPath, args, TYPES_TIMEOUT);
    return code === 0 ? undefined : printed.split("\n")[0];
  }

  /** A function in the text of a file, which leaves a name when it is called; nothing in a browser. */
  get probe(): string {
    const path = JSON.stringify(join(this.directory, REACHED, "/"));
    return `;var reachedBefore = {};
function __reached(name) {
  if (reachedBefore?.[name]) return;
  if (reachedBefore) reachedBefore[name] = true;
  globalThis.process?.getBuiltinModule?.("node:fs").writeFileSync(${path} + name, "");
}`;
  }

  /** The names of what was reached since this was asked. */
  takeReached(): string[] {
    const path = join(this.directory, REACHED);
    const names = existsSync(path) ? readdirSync(path) : [];
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path);
    return names;
  }

  #rebuild(files: string[]): void {
    if (!files.some((file) => file.startsWith("console/"))) return;
    try {
      execFileSync(process.execPath, ["console/build.ts"], { cwd: this.directory, stdio: "ignore" });
    } catch {
      // A console that cannot be built stays what it was: the types show why.
    }
  }

  async #start(program: string, args: string[], timeout: number): Promise<{ code: number | null; printed: string }> {
    const child = spawn(program, args, {
      cwd: this.directory,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, PETSTORE_TEST_POSTGRES: this.#postgres, TMPDIR: this.directory },
    });
    let printed = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
      });
    }
    const timer = setTimeout(() => child.kill("SIGKILL"), timeout);
    const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
    clearTimeout(timer);
    return { code, printed };
  }
}

/** Links each file, so that a bundler finds it below the checkout, or else the folder. */
function link(from: string, to: string): void {
  const { status } = spawnSync("cp", ["-al", from, to], { stdio: "ignore" });
  if (status === 0) return;
  rmSync(to, { recursive: true, force: true });
  symlinkSync(join(process.cwd(), from), to);
}

/** The files below a folder that git has or would commit. */
export function filesOf(folder: string): string[] {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", folder];
  return execFileSync("git", args, { encoding: "utf8", maxBuffer: 2 ** 24 })
    .split("\0")
    .filter((name) => name !== "" && existsSync(name));
}
