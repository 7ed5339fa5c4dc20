/** One request that was made: when it began (performance.now()), how long it took (ms), and what came back; status 0 is a broken connection. */
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
  /** How many of a hundred requests add a pet. */
  creations?: number;
  /** The certificate to trust, where the URLs are https. */
  certificate?: string;
};

/** Clients that make one request after the other, each on a connection of its own, until they are told to stop. */
export class Load {
  readonly outcomes: Outcome[] = [];
  readonly #options: Options;
  readonly #workers: Promise<void>[];
  #isOver = false;
  #requests = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#workers = Array.from({ length: options.workers }, (_, i) => this.#work(i));
  }

  /** Every request that was made, once all of them are answered. */
  async stop(): Promise<Outcome[]> {
    this.#isOver = true;
    await Promise.all(this.#workers);
    return this.outcomes;
  }

  /** Lets it go on for so long. */
  async run(milliseconds: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
  }

  async #work(worker: number): Promise<void> {
    const { urls, creations = 0 } = this.#options;
    for (let i = 0; !this.#isOver; i++) {
      const url = urls[(worker + i) % urls.length] ?? "";
      this.#requests += 1;
      const isCreation = (this.#requests * 37) % 100 < creations;
      const outcome = await this.#request(url, isCreation ? `Pet ${worker}.${i}` : undefined);
      this.outcomes.push(outcome);
      // Whoever is refused in no time would ask a thousand times a second.
      if (outcome.status !== 200 && outcome.status !== 201) await this.run(5);
    }
  }

  async #request(url: string, name: string | undefined): Promise<Outcome> {
    const began = performance.now();
    const headers = { Authorization: `Bearer ${this.#options.secret}`, "Content-Type": "application/json" };
    const tls = this.#options.certificate === undefined ? {} : { tls: { ca: this.#options.certificate } };
    const creation = { method: "POST", body: JSON.stringify({ name, categoryId: 1 }) };
    try {
      const path = name === undefined ? "/v1/pets?limit=20&status=available" : "/v1/pets";
      const response = await fetch(url + path, { headers, ...tls, ...(name !== undefined && creation) });
      const pet = JSON.parse(await response.text());
      const took = performance.now() - began;
      return {
        began,
        took,
        status: response.status,
        headers: response.headers,
        ...(response.status === 201 && { pet }),
      };
    } catch {
      return { began, took: performance.now() - began, status: 0, headers: new Headers() };
    }
  }
}

/** The given part of these numbers is not larger than this one: 0.5 for the median. */
export function percentile(numbers: number[], part: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
