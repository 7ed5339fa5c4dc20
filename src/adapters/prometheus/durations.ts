import { Histogram, type LabelValues, type Registry } from "prom-client";

/** Upper bounds of the buckets, in seconds: from what is answered from memory to what a deadline ends. */
export const BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const BOUNDS = BUCKETS.map((seconds) => seconds * 1_000);

/** The durations with one set of labels. */
export class Series<Label extends string = string> {
  readonly labels: LabelValues<Label>;
  /** How many there were in each bucket, the last one without a bound; not added up. */
  readonly counts = new Float64Array(BUCKETS.length + 1);
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

type Options<Label extends string> = { name: string; help: string; labelNames: Label[]; registry: Registry };

/**
 * A histogram of durations that costs next to nothing to add to: prom-client's own looks its labels up for every
 * observation, which takes longer than all else that is counted of a request; here whoever observes holds on to the series.
 */
export class Durations<Label extends string> extends Histogram<Label> {
  readonly #name: string;
  readonly #help: string;
  readonly #series: Series<Label>[] = [];

  constructor({ name, help, labelNames, registry }: Options<Label>) {
    super({ name, help, labelNames, buckets: BUCKETS, registers: [registry] });
    this.#name = name;
    this.#help = help;
  }

  /** A new series: once for each set of labels. */
  add(labels: LabelValues<Label>): Series<Label> {
    const series = new Series(labels);
    this.#series.push(series);
    return series;
  }

  /** What prom-client asks, whether it writes text or makes a snapshot. */
  async getForPromString() {
    const values = this.#series.flatMap((series) => this.#valuesOf(series));
    return { name: this.#name, help: this.#help, type: "histogram", values, aggregator: "sum" };
  }

  #valuesOf({ labels, counts, total }: Series<Label>) {
    const name = this.#name;
    let count = 0;
    const buckets = [...BUCKETS, "+Inf"].map((le, i) => {
      count += counts[i] ?? 0;
      return { metricName: `${name}_bucket`, labels: { le }, sharedLabels: labels, value: count };
    });
    const sum = { metricName: `${name}_sum`, labels: {}, sharedLabels: labels, value: total / 1_000 };
    return [...buckets, sum, { ...sum, metricName: `${name}_count`, value: count }];
  }
}
