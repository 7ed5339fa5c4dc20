import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { kill } from "./kill.ts";
import { freePort } from "./ports.ts";
import { temporaryDirectory } from "./temporary.ts";

/** Debian installs it where only administrators look. */
const PATH = `${process.env.PATH}:/usr/sbin`;
/** It refuses to run as root. */
const who = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Whether this machine has PgBouncer for tests. */
export const hasPgBouncer = spawnSync("pgbouncer", ["--version"], { env: { PATH } }).status === 0;

/** PgBouncer in transaction mode on loopback, in front of a PostgreSQL server. */
export class PgBouncer {
  readonly url: string;
  readonly #directory: string;
  readonly #process: ChildProcess;

  private constructor(url: string, directory: string, child: ChildProcess) {
    this.url = url;
    this.#directory = directory;
    this.#process = child;
  }

  /** `size`: its connections to the server. */
  static async before({ port: target }: { port: number }, size: number): Promise<PgBouncer> {
    const directory = temporaryDirectory();
    chmodSync(directory, 0o755);
    const port = await freePort();
    const file = join(directory, "pgbouncer.ini");
    writeFileSync(join(directory, "users.txt"), '"petstore" ""\n');
    writeFileSync(
      file,
      `[databases]
* = host=127.0.0.1 port=${target} user=petstore
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(directory, "users.txt")}
pool_mode = transaction
default_pool_size = ${size}
server_login_retry = 1
`,
    );
    const child = spawn("pgbouncer", [file], { ...who, env: { PATH }, stdio: ["ignore", "ignore", "pipe"] });
    for await (const line of createInterface({ input: child.stderr })) if (line.includes("process up")) break;
    child.stderr.resume();
    return new PgBouncer(`postgres://petstore@127.0.0.1:${port}/postgres`, directory, child);
  }

  /** Returns the URL through it for that of a database on the same server. */
  through(url: string): string {
    return new URL(new URL(url).pathname, this.url).href;
  }

  async remove(): Promise<void> {
    await kill(this.#process);
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
