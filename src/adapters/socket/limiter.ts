import { connect, type Socket } from "node:net";
import type { Decision, Limiter, LimitStatus, Subject } from "../../domain/limits/limiter.ts";
import type { KnownCounts } from "./known-counts.ts";
import type { Answer, Call } from "./limiter-server.ts";
import { onLines } from "./lines.ts";

/** A result as it is read: each call takes what it asked for. */
type Result = Decision & LimitStatus;
type Waiting = { id: string; resolve: (result: Result) => void; reject: (error: Error) => void };

/** Counts limits in another process on this machine: the calls of one turn of the event loop are one message. */
export class SocketLimiter implements Limiter {
  readonly #path: string;
  readonly #counts: KnownCounts | undefined;
  #socket: Socket | undefined;
  /** The calls of this turn, and those without a result, in the order in which they are answered. */
  #calls: Call[] = [];
  #waiting: Waiting[] = [];

  /**
   * `path`: of the socket of a `LimiterServer`. Connects with the first call, and again when the connection was lost.
   * `counts`: is given the counts in shared memory that the answers name.
   */
  constructor(path: string, counts?: KnownCounts) {
    this.#path = path;
    this.#counts = counts;
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
      this.#waiting.push({ id, resolve, reject });
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
      const answers: (Answer & { result: Result })[] = JSON.parse(line);
      const answered = this.#waiting.splice(0, answers.length);
      for (const [i, { result, count }] of answers.entries()) {
        const { id, resolve } = answered[i] ?? {};
        if (id !== undefined && count !== undefined) this.#counts?.add(id, count);
        resolve?.(result);
      }
    });
    return socket;
  }
}
