type Job<T, U> = { item: T; resolve: (result: U) => void; reject: (error: unknown) => void };

/** How many batches may be on their way at a time: one being committed while the next one is being sent. */
const MOST_UNDER_WAY = 2;
const LARGEST = 500;

/** Has what is asked for at the same time done in one go: whatever comes while others are under way waits for them, together. */
export class Batches<T, U> {
  readonly #run: (items: T[]) => Promise<U[]>;
  readonly #largest: number;
  #waiting: Job<T, U>[] = [];
  #underWay = 0;
  #isScheduled = false;

  /** `run` does all of it, or nothing, and gives the results in order. `largest`: how many at a time, at most. */
  constructor(run: (items: T[]) => Promise<U[]>, largest = LARGEST) {
    this.#run = run;
    this.#largest = largest;
  }

  /** The result for one item. @throws what `run` failed with */
  add(item: T): Promise<U> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#schedule();
    });
  }

  /** setImmediate comes after the sockets were read: the requests that arrived together are waiting by then. */
  #schedule(): void {
    if (this.#isScheduled || this.#underWay === MOST_UNDER_WAY || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#runWaiting();
    });
  }

  async #runWaiting(): Promise<void> {
    const jobs = this.#waiting.splice(0, this.#largest);
    this.#underWay += 1;
    try {
      const results = await this.#run(jobs.map(({ item }) => item));
      for (const [i, { resolve }] of jobs.entries()) resolve(results[i] as U);
    } catch (error) {
      // What waits was asked for before it failed, and would wait as long again: it is told at once.
      for (const { reject } of [...jobs, ...this.#waiting.splice(0)]) reject(error);
    }
    this.#underWay -= 1;
    this.#schedule();
  }
}
