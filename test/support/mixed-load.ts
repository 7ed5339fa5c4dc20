import { setTimeout as pause } from "node:timers/promises";
import { type Answered, type Call, type HistoryEntry, requestOf } from "./calls.ts";
import { ConnectionLost, KeepAliveConnection, requestText } from "./keep-alive.ts";
import { KnownPets } from "./known-pets.ts";

const CLIENTS = 24;
/** Before a client calls again, after it has found a node gone or the store unavailable, in ms. */
const BETWEEN_TRIES = 50;

type Options = {
  /** A key's secret. */
  secret: string;
  /** Receives each call when it has been answered, or will not be. */
  record: (entry: HistoryEntry) => void;
};

/**
 * Clients that create, change, remove and order pets at any of several nodes. They deal with a few pets at a time, so that
 * most calls meet others at the same pet, and repeat calls with an Idempotency-Key, answered or not.
 */
export class MixedLoad {
  /** The number of responses so far, by status. */
  readonly statuses = new Map<number, number>();
  readonly #secret: string;
  readonly #record: Options["record"];
  readonly #pets = new KnownPets();

  constructor({ secret, record }: Options) {
    this.#secret = secret;
    this.#record = record;
  }

  /** The number of calls that were answered: by another status than 503. */
  get answered(): number {
    return this.statuses.entries().reduce((sum, [status, count]) => (status < 500 ? sum + count : sum), 0);
  }

  /** Makes calls, each client one after the other, until `isOver`. */
  async run(urls: string[], isOver: () => boolean): Promise<void> {
    await Promise.all(Array.from({ length: CLIENTS }, (_, client) => this.#work(client, urls, isOver)));
  }

  /** Reads every pet and order so far, at one node. */
  async readAll(url: string): Promise<void> {
    const connection = await KeepAliveConnection.open(url);
    for (const call of this.#pets.reads) {
      if (!(await this.#make(0, connection, call))) throw new Error(`there was no answer to ${JSON.stringify(call)}`);
    }
    connection.close();
  }

  async #work(client: number, urls: string[], isOver: () => boolean): Promise<void> {
    const connections = new Map<string, KeepAliveConnection>();
    let isWaiting = false;
    while (!isOver()) {
      const url = urls[Math.floor(Math.random() * urls.length)] ?? "";
      const connection = await connect(url, connections.get(url));
      if (connection !== undefined) {
        connections.set(url, connection);
        // Every change without an answer doubles what the history may mean: in an outage a client only reads.
        isWaiting = !(await this.#make(client, connection, isWaiting ? this.#pets.probe : this.#pets.next()));
      }
      if (connection === undefined || isWaiting) await pause(BETWEEN_TRIES);
    }
    for (const connection of connections.values()) connection.close();
  }

  /** Makes a call. Returns whether it was answered. */
  async #make(client: number, connection: KeepAliveConnection, call: Call): Promise<boolean> {
    const from = now();
    const answer = await this.#send(connection, call);
    this.#record({ client, call, from, ...(answer !== undefined && { until: now(), answer }) });
    this.#pets.learn(call, answer);
    return answer !== undefined;
  }

  /** Returns the answer, or undefined if it leaves open whether the call had its effect. */
  async #send(connection: KeepAliveConnection, call: Call): Promise<Answered | undefined> {
    const { method, path, headers, body } = requestOf(call);
    try {
      const text = requestText(method, path, this.#secret, body && JSON.stringify(body), headers);
      const answer = await connection.request(text);
      this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1);
      return answer.status >= 500 ? undefined : answered(answer);
    } catch (error) {
      if (error instanceof ConnectionLost) return undefined;
      throw error;
    }
  }
}

function answered({ status, head, body }: { status: number; head: string; body: string }): Answered {
  return {
    status,
    etag: /^etag: *(.*?)\r?$/im.exec(head)?.[1],
    replayed: /^idempotency-replayed: *true\r?$/im.test(head),
    body: body === "" ? undefined : JSON.parse(body),
  };
}

/** Returns the connection while it is open, else another one; undefined if nobody listens. */
async function connect(url: string, known: KeepAliveConnection | undefined): Promise<KeepAliveConnection | undefined> {
  if (known?.isOpen) return known;
  return KeepAliveConnection.open(url).catch(() => undefined);
}

/** The time in ns. */
function now(): number {
  return Math.round(performance.now() * 1_000_000);
}
