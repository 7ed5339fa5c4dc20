import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Redis } from "ioredis";
import { kill } from "./kill.ts";
import { freePort } from "./ports.ts";
import { temporaryDirectory } from "./temporary.ts";

/** The program of the server: Redis, or another one that behaves the same, such as `valkey-server`. */
const PROGRAM = process.env.PETSTORE_TEST_REDIS ?? "redis-server";

/** Whether this machine has a Redis server for tests. */
export const hasRedis = spawnSync(PROGRAM, ["--version"]).status === 0;

/** A real Redis server on loopback, in its own directory. */
export class RedisServer {
  readonly url: string;
  readonly port: number;
  readonly directory: string;
  readonly #settings: string[];
  #process: ChildProcess | undefined;

  /** `own` replaces the default command line. */
  constructor(directory: string, port: number, settings: string[], own?: string[]) {
    this.directory = directory;
    this.port = port;
    this.url = `redis://127.0.0.1:${port}`;
    const plain = ["--port", String(port), "--bind", "127.0.0.1", "--dir", directory, "--save", ""];
    this.#settings = own ?? [...plain, ...settings];
  }

  /** @throws when it ends instead, as when its port is taken */
  async start(): Promise<void> {
    const child = spawn(PROGRAM, this.#settings, { stdio: ["ignore", "pipe", "inherit"] });
    this.#process = child;
    const printed: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      printed.push(line);
      if (!line.includes("Ready to accept connections") && !line.includes("Sentinel ID is")) continue;
      child.stdout.resume();
      return;
    }
    throw new Error(`Redis ended:\n${printed.join("\n")}`);
  }

  kill(): Promise<void> {
    return kill(this.#process);
  }

  /** Pauses it, while the system still accepts connections for it. */
  freeze(): void {
    this.#process?.kill("SIGSTOP");
  }

  thaw(): void {
    this.#process?.kill("SIGCONT");
  }

  /** Runs a command on a new connection. */
  async call(name: string, ...args: string[]): Promise<unknown> {
    const connection = new Redis(this.url);
    try {
      return await connection.call(name, ...args);
    } finally {
      connection.disconnect();
    }
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.directory, { recursive: true, force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.remove();
  }
}

/** A Sentinel on this port, which watches a primary of the name "pets". */
export async function startSentinel(port: number, primary: RedisServer): Promise<RedisServer> {
  const directory = temporaryDirectory();
  const file = join(directory, "sentinel.conf");
  writeFileSync(
    file,
    `port ${port}\nbind 127.0.0.1\ndir ${directory}\nsentinel monitor pets 127.0.0.1 ${primary.port} 1\n`,
  );
  const sentinel = new RedisServer(directory, port, [], [file, "--sentinel"]);
  await sentinel.start();
  return sentinel;
}

/** A new, empty server. If its port is taken, or the one 10,000 higher that a cluster needs, it is started on others. */
export async function startRedis(settings: string[] = [], tries = 3): Promise<RedisServer> {
  const server = new RedisServer(temporaryDirectory(), await freePort(), settings);
  try {
    await server.start();
    return server;
  } catch (error) {
    if (tries === 1) throw error;
    return startRedis(settings, tries - 1);
  }
}
