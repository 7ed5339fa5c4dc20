import { existsSync, readFileSync } from "node:fs";

/** A request: when it began and how long it took (ms, by the clock of its load), and its response. Status 0 is a broken connection. */
export type Outcome = {
  began: number;
  took: number;
  status: number;
  headers: Headers;
  pet?: { id: number; name: string };
};

type Options = {
  urls: string[];
  secret: string;
  workers: number;
  /** The percentage of requests that add a pet. */
  creations?: number;
  /** The certificate to trust for https URLs. */
  certificate?: string;
  /** The processes of the service. The clock of the load stands still while one of them, or this one, waits for a processor. */
  pids?: () => number[];
};

/** Clients that make consecutive requests, each on its own connection, until `stop`. */
export class Load {
  readonly outcomes: Outcome[] = [];
  readonly #options: Options;
  readonly #workers: Promise<void>[];
  readonly #waits = new Map<number | "self", number>();
  #waited = 0;
  #last = 0;
  #isOver = false;
  #requests = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#workers = Array.from({ length: options.workers }, (_, i) => this.#work(i));
  }

  /** Resolves with all requests when the last one is answered. */
  async stop(): Promise<Outcome[]> {
    this.#isOver = true;
    await Promise.all(this.#workers);
    return this.outcomes;
  }

  /** A test that fails stops it, too. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** Lets the load run for this long. */
  async run(milliseconds: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
  }

  /** Its clock, in ms: without the time for which others kept the processors of a busy machine. */
  now(): number {
    const { pids } = this.#options;
    const longer = (pids === undefined ? [] : (["self", ...pids()] as const)).map((pid) => {
      const before = this.#waits.get(pid);
      const waits = waitedForProcessor(pid);
      this.#waits.set(pid, waits);
      return waits - (before ?? waits);
    });
    this.#waited += Math.max(0, ...longer);
    // What a process has waited is known once it goes on: until then the clock goes too far, and then it waits.
    this.#last = Math.max(this.#last, performance.now() - this.#waited);
    return this.#last;
  }

  async #work(worker: number): Promise<void> {
    const { urls, creations = 0 } = this.#options;
    for (let i = 0; !this.#isOver; i++) {
      const url = urls[(worker + i) % urls.length] ?? "";
      this.#requests += 1;
      const isCreation = (this.#requests * 37) % 100 < creations;
      const outcome = await this.#request(url, isCreation ? `Pet ${worker}.${i}` : undefined);
      this.outcomes.push(outcome);
      // Without a pause, a client that is refused at once would send a thousand requests per second.
      if (outcome.status !== 200 && outcome.status !== 201) await this.run(5);
    }
  }

  async #request(url: string, name: string | undefined): Promise<Outcome> {
    const began = this.now();
    const headers = { Authorization: `Bearer ${this.#options.secret}`, "Content-Type": "application/json" };
    const tls = this.#options.certificate === undefined ? {} : { tls: { ca: this.#options.certificate } };
    const creation = { method: "POST", body: JSON.stringify({ name, categoryId: 1 }) };
    try {
      const path = name === undefined ? "/v1/pets?limit=20&status=available" : "/v1/pets";
      const response = await fetch(url + path, { headers, ...tls, ...(name !== undefined && creation) });
      const pet = JSON.parse(await response.text());
      const took = this.now() - began;
      return {
        began,
        took,
        status: response.status,
        headers: response.headers,
        ...(response.status === 201 && { pet }),
      };
    } catch (error) {
      console.log(`a request failed: ${name === undefined ? "GET" : "POST"} ${error}`);
      return { began, took: this.now() - began, status: 0, headers: new Headers() };
    }
  }
}

/** The percentile of numbers: 0.5 for the median. */
export function percentile(numbers: number[], part: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

/** How long a process has waited for a processor so far, in ms: what a busy machine costs it. 0 where Linux does not count it. */
export function waitedForProcessor(pid: number | "self"): number {
  const file = `/proc/${pid}/schedstat`;
  return existsSync(file) ? Number(readFileSync(file, "utf8").split(" ")[1]) / 1e6 : 0;
}
