import type { LabelValues, Registry } from "prom-client";
import Histogram from "prom-client/lib/histogram.js";

/** Upper bounds of the buckets, in seconds: from responses from memory to timeouts. */
export const DURATION_BUCKETS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
];
const BOUNDS = DURATION_BUCKETS.map((seconds) => seconds * 1_000);

/** The durations for one set of labels. */
export class Series<Label extends string = string> {
  readonly labels: LabelValues<Label>;
  /** The observations in each bucket, not cumulative. The last bucket has no bound. */
  readonly counts = new Float64Array(DURATION_BUCKETS.length + 1);
  /** In ms. */
  total = 0;

  constructor(labels: LabelValues<Label>) {
    this.labels = labels;
  }

  get count(): number {
    return this.counts.reduce((sum, count) => sum + count, 0);
  }

  observe(milliseconds: number): void {
    let bucket = 0;
    while (bucket < BOUNDS.length && milliseconds > (BOUNDS[bucket] ?? 0)) bucket += 1;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.total += milliseconds;
  }
}

type DurationOptions<Label extends string> = { name: string; help: string; labelNames: Label[]; registry: Registry };

/**
 * A histogram whose series are looked up once instead of at each observation: 12 ns instead of 300 to 370 ns with
 * prom-client, which would be 4 % of the time of a request with its two or three observations.
 */
export class Durations<Label extends string> extends Histogram<Label> {
  readonly #name: string;
  readonly #help: string;
  readonly #series: Series<Label>[] = [];

  constructor({ name, help, labelNames, registry }: DurationOptions<Label>) {
    super({ name, help, labelNames, buckets: DURATION_BUCKETS, registers: [registry] });
    this.#name = name;
    this.#help = help;
  }

  /** Adds a series. Call it once per set of labels, and keep the result. */
  add(labels: LabelValues<Label>): Series<Label> {
    const series = new Series(labels);
    this.#series.push(series);
    return series;
  }

  /** prom-client calls this for its text and for snapshots. */
  async getForPromString() {
    const values = this.#series.flatMap((series) => this.#valuesOf(series));
    return { name: this.#name, help: this.#help, type: "histogram", values, aggregator: "sum" };
  }

  #valuesOf({ labels, counts, total }: Series<Label>) {
    const name = this.#name;
    let count = 0;
    const buckets = [...DURATION_BUCKETS, "+Inf"].map((le, i) => {
      count += counts[i] ?? 0;
      return { metricName: `${name}_bucket`, labels: { le }, sharedLabels: labels, value: count };
    });
    const sum = { metricName: `${name}_sum`, labels: {}, sharedLabels: labels, value: total / 1_000 };
    return [...buckets, sum, { ...sum, metricName: `${name}_count`, value: count }];
  }
}
