import { connect, type Socket } from "node:net";
import type { Decision, Limiter, LimitStatus, Subject } from "../../domain/limits/limiter.ts";
import type { Call } from "./limiter-server.ts";
import { onLines } from "./lines.ts";

/** A result as it is read: each call takes what it asked for. */
type Result = Decision & LimitStatus;
type Waiting = { resolve: (result: Result) => void; reject: (error: Error) => void };

/** Counts limits in another process on this machine: the calls of one turn of the event loop are one message. */
export class SocketLimiter implements Limiter {
  readonly #path: string;
  #socket: Socket | undefined;
  /** The calls of this turn, and those without a result, in the order in which they are answered. */
  #calls: Call[] = [];
  #waiting: Waiting[] = [];

  /** `path`: of the socket of a `LimiterServer`. Connects with the first call, and again when the connection was lost. */
  constructor(path: string) {
    this.#path = path;
  }

  /** @throws when the connection is lost */
  take(subject: Subject): Promise<Decision> {
    return this.#call("take", subject);
  }

  /** @throws when the connection is lost */
  status(subject: Subject): Promise<LimitStatus> {
    return this.#call("status", subject);
  }

  /** Reads a limit state, without counting a request. @throws when the connection is lost */
  async probe(keyId = ""): Promise<void> {
    await this.status({ id: keyId, limits: { perMinute: 1, perDay: 1 } });
  }

  close(): void {
    this.#socket?.destroy();
  }

  #call(name: Call["name"], { id, limits, pardonedAt }: Subject): Promise<Result> {
    return new Promise((resolve, reject) => {
      // setImmediate runs after the sockets were read, so that the requests of this turn share a message.
      if (this.#calls.length === 0) setImmediate(() => this.#send());
      this.#calls.push({ name, subject: { id, limits, ...(pardonedAt !== undefined && { pardonedAt }) } });
      this.#waiting.push({ resolve, reject });
    });
  }

  #send(): void {
    // The connection was lost meanwhile.
    if (this.#calls.length === 0) return;
    this.#socket ??= this.#connect();
    this.#socket.write(`${JSON.stringify(this.#calls)}\n`);
    this.#calls = [];
  }

  #connect(): Socket {
    const socket = connect(this.#path).on("error", () => socket.destroy());
    socket.on("close", () => {
      this.#socket = undefined;
      this.#calls = [];
      for (const { reject } of this.#waiting.splice(0)) reject(new Error("the connection was closed"));
    });
    onLines(socket, (line) => {
      const results: Result[] = JSON.parse(line);
      const answered = this.#waiting.splice(0, results.length);
      for (const [i, result] of results.entries()) answered[i]?.resolve(result);
    });
    return socket;
  }
}
