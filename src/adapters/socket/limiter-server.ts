import { createServer, type Server, type Socket } from "node:net";
import type { Decision, LimitStatus, Subject } from "../../domain/limits/limiter.ts";
import type { SharedCount } from "../../domain/limits/shared-count.ts";
import { onLines } from "./lines.ts";

/** A call of a limiter. A line of JSON holds an array of calls; one with the array of their answers follows. */
export type Call = { name: "take" | "status"; subject: Subject };

/** The result of a call, and the count of the key in shared memory, if it has one. */
export type Answer = { result: Decision | LimitStatus; count?: SharedCount | undefined };

/** A limiter that counts in this process. */
type LocalLimiter = {
  take(subject: Subject): Decision;
  status(subject: Subject): LimitStatus;
  sharedCountOf?(id: string): SharedCount | undefined;
};

/** Counts limits for other processes on this machine, which connect to a local socket. */
export class LimiterServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(limiter: LocalLimiter) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      // A process that ends closes its connection, in one way or another.
      socket.on("error", () => socket.destroy()).on("close", () => this.#sockets.delete(socket));
      onLines(socket, (line) => {
        const calls: Call[] = JSON.parse(line);
        const answers = calls.map(({ name, subject }): Answer => {
          const result = limiter[name](subject);
          return { result, count: limiter.sharedCountOf?.(subject.id) };
        });
        socket.write(`${JSON.stringify(answers)}\n`);
      });
    });
  }

  /** `path`: of a socket that does not exist yet, in a directory that only this user can enter. */
  static async listen(limiter: LocalLimiter, path: string): Promise<LimiterServer> {
    const server = new LimiterServer(limiter);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.#server.once("error", reject).listen(path, resolve);
    await promise;
    return server;
  }

  /** Closes all connections. */
  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
