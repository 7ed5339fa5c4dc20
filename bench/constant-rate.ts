import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createHistogram } from "node:perf_hooks";

const HEAD_END = "\r\n\r\n";
const LENGTH = /\r\nContent-Length: (\d+)/i;

/** Finds the end of each response on a connection: HTTP/1.1 with Content-Length, one response at a time. */
class ResponseReader {
  #received: Buffer | undefined;

  /** Adds received bytes. Returns the status when the response is complete. @throws when it has no Content-Length */
  push(chunk: Buffer): number | undefined {
    const received = this.#received === undefined ? chunk : Buffer.concat([this.#received, chunk]);
    this.#received = received;
    const end = received.indexOf(HEAD_END);
    if (end === -1) return undefined;
    const head = received.toString("latin1", 0, end);
    const length = LENGTH.exec(head)?.[1];
    if (length === undefined) throw new Error(`The response has no Content-Length:\n${head}`);
    if (received.length < end + HEAD_END.length + Number(length)) return undefined;
    this.#received = undefined;
    return Number(head.slice("HTTP/1.1 ".length, "HTTP/1.1 200".length));
  }
}

/** The request, its rate per second, and the duration in seconds. The warm-up comes first and does not count. */
export type Schedule = {
  port: number;
  path: string;
  headers: Record<string, string>;
  rate: number;
  warmUp: number;
  seconds: number;
  connections: number;
};

/**
 * Latencies in ms. `own` is the delay of this program itself between two looks at the clock (99th percentile), which the
 * latencies include.
 */
export type Latencies = { p50: number; p99: number; max: number; own: number };

/** A connection, and the intended time of its request (ms). */
type Connection = { socket: Socket; reader: ResponseReader; intended: number };

/**
 * Sends requests at a constant rate, and times each request from the intended time: while the service stalls, each
 * waiting request counts as slow (no coordinated omission). It polls the clock: a timer is up to a millisecond late.
 */
class ConstantRate {
  readonly #schedule: Schedule;
  readonly #request: string;
  readonly #warmUpRequests: number;
  readonly #total: number;
  readonly #latencies = createHistogram();
  readonly #delays = createHistogram();
  readonly #idle: Connection[] = [];
  readonly #end = Promise.withResolvers<void>();
  #sent = 0;
  #answered = 0;
  #start = 0;
  #polledAt = 0;

  constructor(schedule: Schedule) {
    this.#schedule = schedule;
    this.#request = textOf(schedule);
    this.#warmUpRequests = Math.round(schedule.rate * schedule.warmUp);
    this.#total = this.#warmUpRequests + Math.round(schedule.rate * schedule.seconds);
  }

  /** @throws when a connection ends, or a response is not 200 */
  async run(): Promise<Latencies> {
    const { connections, port } = this.#schedule;
    const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
    for (const socket of sockets) this.#take(socket);
    this.#start = performance.now();
    this.#polledAt = this.#start;
    this.#poll();
    await this.#end.promise;
    for (const socket of sockets) socket.removeAllListeners("close").destroy();
    const at = (percentile: number) => this.#latencies.percentile(percentile) / 1000;
    return {
      p50: at(50),
      p99: at(99),
      max: this.#latencies.max / 1000,
      own: this.#delays.percentile(99) / 1000,
    };
  }

  #take(socket: Socket): void {
    const connection = { socket, reader: new ResponseReader(), intended: 0 };
    this.#idle.push(connection);
    socket.on("data", (chunk) => {
      try {
        if (typeof chunk !== "string") this.#read(connection, chunk);
      } catch (error) {
        this.#end.reject(error);
      }
    });
    socket.on("error", this.#end.reject);
    socket.on("close", () => this.#end.reject(new Error("The service closed a connection.")));
  }

  #read(connection: Connection, chunk: Buffer): void {
    const status = connection.reader.push(chunk);
    if (status === undefined) return;
    if (status !== 200) throw new Error(`A response has status ${status}.`);
    const late = performance.now() - connection.intended;
    if (connection.intended >= this.#intendedAt(this.#warmUpRequests)) this.#latencies.record(microseconds(late));
    this.#answered++;
    this.#idle.push(connection);
    if (this.#answered === this.#total) this.#end.resolve();
    else this.#sendDue();
  }

  #poll(): void {
    const now = performance.now();
    this.#delays.record(microseconds(now - this.#polledAt));
    this.#polledAt = now;
    this.#sendDue();
    if (this.#answered < this.#total) setImmediate(() => this.#poll());
  }

  #sendDue(): void {
    const now = performance.now();
    while (this.#sent < this.#total && this.#intendedAt(this.#sent) <= now) {
      const connection = this.#idle.pop();
      if (connection === undefined) return;
      connection.intended = this.#intendedAt(this.#sent);
      connection.socket.write(this.#request);
      this.#sent++;
    }
  }

  #intendedAt(request: number): number {
    return this.#start + (request * 1000) / this.#schedule.rate;
  }
}

/** Rounds to at least 1: a histogram counts whole numbers from 1. */
function microseconds(milliseconds: number): number {
  return Math.max(1, Math.round(milliseconds * 1000));
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  await once(socket, "connect");
  return socket;
}

function textOf({ port, path, headers }: Schedule): string {
  const all = Object.entries({ Host: `127.0.0.1:${port}`, ...headers });
  return `GET ${path} HTTP/1.1\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
}

if (import.meta.main) {
  const schedule: Schedule = JSON.parse(process.argv[2] ?? "");
  console.log(JSON.stringify(await new ConstantRate(schedule).run()));
}
