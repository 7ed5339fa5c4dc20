type Job<T, U> = { item: T; resolve: (result: U) => void; reject: (error: unknown) => void };

/** How many batches run at once, by default one that is committed and one that is sent, and how many items one has. */
type Bounds = { maxRunning?: number; maxSize?: number };

/** Runs items in batches. Items that arrive while batches run share the next batch. */
export class Batches<T, U> {
  readonly #run: (items: T[]) => Promise<U[]>;
  readonly #maxRunning: number;
  readonly #maxSize: number;
  #waiting: Job<T, U>[] = [];
  #running = 0;
  #isScheduled = false;

  /** `run` processes all of its items or none, and returns their results in order. */
  constructor(run: (items: T[]) => Promise<U[]>, { maxRunning = 2, maxSize = 500 }: Bounds = {}) {
    this.#run = run;
    this.#maxRunning = maxRunning;
    this.#maxSize = maxSize;
  }

  /** Resolves with the result of the item. @throws the error of `run` */
  add(item: T): Promise<U> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#schedule();
    });
  }

  /** setImmediate runs after the sockets were read, so that the requests of this turn share a batch. */
  #schedule(): void {
    if (this.#isScheduled || this.#running === this.#maxRunning || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      void this.#runBatch();
    });
  }

  async #runBatch(): Promise<void> {
    const jobs = this.#waiting.splice(0, this.#maxSize);
    this.#running += 1;
    try {
      const results = await this.#run(jobs.map(({ item }) => item));
      for (const [i, { resolve }] of jobs.entries()) resolve(results[i] as U);
    } catch (error) {
      // Waiting items fail too: they arrived before the failure, and another attempt could take as long.
      for (const { reject } of [...jobs, ...this.#waiting.splice(0)]) reject(error);
    }
    this.#running -= 1;
    this.#schedule();
  }
}
