import { execFileSync, spawn } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { temporaryDirectory } from "../support/temporary.ts";
import { type Mutant, mutated } from "./mutant.ts";

/** Installed or built: linked instead of copied. */
const LINKED = ["node_modules", "client/node_modules", "client/dist", "console/dist", ".ci/tools/node_modules"];
/** How long the tests of a mutant may take, in ms. A mutant that hangs them is noticed. */
const TIMEOUT = 180_000;

/** A copy of the working tree in which tests run and faults are planted. */
export class Checkout {
  readonly directory = temporaryDirectory();
  readonly #postgres: string;

  /** Copies what git would commit. `postgres`: the URL of the server that tests share. */
  constructor(postgres: string) {
    this.#postgres = postgres;
    // Run by root, a PostgreSQL server of a test runs as another user, who needs to traverse this directory.
    chmodSync(this.directory, 0o711);
    const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
      encoding: "utf8",
    });
    for (const path of listed.split("\0").filter((name) => name !== "" && existsSync(name))) {
      cpSync(path, join(this.directory, path));
    }
    for (const path of LINKED.filter(existsSync)) {
      mkdirSync(dirname(join(this.directory, path)), { recursive: true });
      symlinkSync(join(process.cwd(), path), join(this.directory, path));
    }
  }

  /** Plants the fault, runs its tests and removes it. Returns the test that noticed it, or undefined. */
  async try(mutant: Mutant): Promise<string | undefined> {
    const path = join(this.directory, mutant.file);
    writeFileSync(path, mutated(mutant, this.directory));
    try {
      return await this.firstFailure(mutant.tests, ["--bail"]);
    } finally {
      cpSync(mutant.file, path);
    }
  }

  /** Runs these tests. Returns the name of the first that fails, or undefined. */
  async firstFailure(tests: string[], options: string[]): Promise<string | undefined> {
    const long = tests.some((test) => test.includes(".long.")) ? [] : ["--path-ignore-patterns=**/*.long.test.ts"];
    const paths = tests.map((test) => `./${test}`);
    const child = spawn(
      process.execPath,
      ["test", "--no-orphans", "--only-failures", "--timeout=30000", ...long, ...options, ...paths],
      {
        cwd: this.directory,
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, PETSTORE_TEST_POSTGRES: this.#postgres, TMPDIR: this.directory },
      },
    );
    let printed = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
      });
    }
    const timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT * Math.max(1, tests.length / availableParallelism()));
    const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
    clearTimeout(timer);
    if (code === 0) return undefined;
    return /^\(fail\) (.+?)(?: \[[\d.]+ms\])?$/m.exec(printed)?.[1] ?? printed.trim().split("\n").at(-1) ?? "";
  }
}
