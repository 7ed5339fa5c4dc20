type Job<T, U> = { item: T; resolve: (result: U) => void; reject: (error: unknown) => void };

/** Batches that run at the same time: one is being committed while the next one is being sent. */
const MAX_RUNNING = 2;
const MAX_SIZE = 500;

/** Runs items in batches: those that arrive while batches are running wait for them, and share the next one. */
export class Batches<T, U> {
  readonly #run: (items: T[]) => Promise<U[]>;
  readonly #maxSize: number;
  #waiting: Job<T, U>[] = [];
  #running = 0;
  #isScheduled = false;

  /** `run` does all of its items or none, and returns their results in order. */
  constructor(run: (items: T[]) => Promise<U[]>, maxSize = MAX_SIZE) {
    this.#run = run;
    this.#maxSize = maxSize;
  }

  /** The result for one item. @throws what `run` failed with */
  add(item: T): Promise<U> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#schedule();
    });
  }

  /** setImmediate comes after the sockets were read: the requests that arrived in the same turn are waiting by then. */
  #schedule(): void {
    if (this.#isScheduled || this.#running === MAX_RUNNING || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#runBatch();
    });
  }

  async #runBatch(): Promise<void> {
    const jobs = this.#waiting.splice(0, this.#maxSize);
    this.#running += 1;
    try {
      const results = await this.#run(jobs.map(({ item }) => item));
      for (const [i, { resolve }] of jobs.entries()) resolve(results[i] as U);
    } catch (error) {
      // What is waiting arrived before the failure, and would wait as long again: it fails at once.
      for (const { reject } of [...jobs, ...this.#waiting.splice(0)]) reject(error);
    }
    this.#running -= 1;
    this.#schedule();
  }
}
