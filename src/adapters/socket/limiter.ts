import { connect, createServer, type Socket } from "node:net";
import type { Awaitable } from "../../domain/awaitable.ts";
import type { Handover, KeyHandover } from "../../domain/limits/fallback-counts.ts";
import type { Limiter, SharedLimiter } from "../../domain/limits/limiter.ts";
import type { Decision, LimitState, LimitStatus, SharedCount, Subject } from "../../domain/limits/limits.ts";
import { LruMap } from "../../domain/lru-map.ts";
import type { KnownCounts } from "./shared-counts.ts";

/** Calls `onLine` with each line of JSON that a socket receives. */
export function onLines(socket: Socket, onLine: (line: string) => void): void {
  let rest = "";
  socket.setEncoding("utf8").on("data", (text: string) => {
    const lines = `${rest}${text}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  });
}

/** A call of a limiter. A line of JSON holds an array of calls; one with the array of their answers follows. */
type Call =
  | { name: "take"; subject: Subject; cost: number }
  | { name: "status"; subject: Subject }
  | { name: "reconcile"; subject: Subject; handover: Handover };

/** The result of a call, and the count of the key in shared memory, if it has one. */
type Answer = { result: Decision | LimitStatus; count?: SharedCount | undefined };

type LocalLimiter = {
  take(subject: Subject, cost: number): Decision;
  status(subject: Subject): LimitStatus;
  add(subject: Subject, handover: Handover): void;
  sharedCountOf?(id: string): SharedCount | undefined;
};

/** How many processes and keys have handed over lately. */
const MOST_HANDOVERS = 100_000;

/**
 * Counts limits for other processes on this machine, which connect to a local socket. `path`: of a socket that does not exist
 * yet, in a directory that only this user can enter.
 */
export async function serveLimiter(limiter: LocalLimiter, path: string) {
  /** The number of the last handover by process and key. */
  const handovers = new LruMap<number>(MOST_HANDOVERS);
  const addOnce = (subject: Subject, handover: Handover) => {
    const source = `${handover.process} ${subject.id}`;
    if (handover.number <= (handovers.get(source) ?? 0)) return;
    handovers.set(source, handover.number);
    limiter.add(subject, handover);
  };
  const resultOf = (call: Call) => {
    const { subject } = call;
    if (call.name === "take") return limiter.take(subject, call.cost);
    if (call.name === "reconcile") addOnce(subject, call.handover);
    return limiter.status(subject);
  };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    // A process that ends closes its connection, in one way or another.
    socket.on("error", () => socket.destroy()).on("close", () => sockets.delete(socket));
    onLines(socket, (line) => {
      const calls: Call[] = JSON.parse(line);
      const answers = calls.map((call): Answer => {
        const result = resultOf(call);
        return { result, count: limiter.sharedCountOf?.(call.subject.id) };
      });
      socket.write(`${JSON.stringify(answers)}\n`);
    });
  });
  const { promise: listening, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject).listen(path, resolve);
  await listening;
  return {
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** A subject is also a key, with all that it has. */
function plain({ id, limits, pardonedAt }: Subject): Subject {
  return { id, limits, ...(pardonedAt !== undefined && { pardonedAt }) };
}

/** A result as it is read: each call takes what it asked for. */
type Result = Decision & LimitStatus;
type Waiting = { id: string; resolve: (result: Result) => void; reject: (error: Error) => void };

/**
 * Counts limits in another process on this machine: in memory that both share, where that has the count of a key, and with
 * calls. The calls of one turn of the event loop are one message.
 */
export class SocketLimiter implements SharedLimiter {
  readonly server = undefined;
  readonly takeAtOnce: Limiter["takeAtOnce"];
  readonly #path: string;
  readonly #counts: KnownCounts | undefined;
  #socket: Socket | undefined;
  /** The calls of this turn, and those without a result, in the order in which they are answered. */
  #calls: Call[] = [];
  #waiting: Waiting[] = [];

  /**
   * `path`: of the socket of `serveLimiter`. Connects with the first call, and again when the connection was lost.
   * `counts`: is given the counts in shared memory that the answers name.
   */
  constructor(path: string, counts?: KnownCounts) {
    this.#path = path;
    this.#counts = counts;
    this.takeAtOnce = counts && ((subject, cost = 1) => counts.take(subject, cost));
  }

  /** @throws when the connection is lost */
  take(subject: Subject, cost = 1): Awaitable<Decision> {
    return this.takeAtOnce?.(subject, cost) ?? this.#call({ name: "take", subject: plain(subject), cost });
  }

  /** @throws when the connection is lost */
  status(subject: Subject): Promise<LimitStatus> {
    return this.#call({ name: "status", subject: plain(subject) });
  }

  /** Reads a limit state, without counting a request. @throws when the connection is lost */
  async probe(keyId = ""): Promise<void> {
    await this.status({ id: keyId, limits: { perMinute: 1, perDay: 1 } });
  }

  /** @throws when the connection is lost */
  async reconcile({ subject, handover }: KeyHandover): Promise<Decision> {
    const status = await this.#call({ name: "reconcile", subject: plain(subject), handover });
    const outcome = status.ban === undefined ? "allowed" : "key_banned";
    return { ...status, outcome, beginsBan: false };
  }

  /** The parent forgets nothing: with it, its workers end. */
  async restore(): Promise<void> {}

  onLoss(): void {}

  stateOf(keyId: string): LimitState | undefined {
    return this.#counts?.stateOf(keyId);
  }

  shardOf(): string {
    return "";
  }

  /** It answers with no errors. */
  isReply(): boolean {
    return false;
  }

  close(): void {
    this.#socket?.destroy();
  }

  #call(call: Call): Promise<Result> {
    return new Promise((resolve, reject) => {
      // setImmediate runs after the sockets were read, so that the requests of this turn share a message.
      if (this.#calls.length === 0) setImmediate(() => this.#send());
      this.#calls.push(call);
      this.#waiting.push({ id: call.subject.id, resolve, reject });
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
