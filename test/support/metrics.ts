import { spawnSync } from "node:child_process";

/** One line of `/metrics`: the name of a sample, its labels and its value. */
export type Sample = { name: string; labels: Record<string, string>; value: number };

const LINE = /^([a-z_:][a-z0-9_:]*)(?:\{(.*)\})? (-?[\d.e+-]+|NaN|[+-]Inf)$/i;
const LABEL = /^([a-z_]\w*)="((?:[^"\\]|\\[\\"n])*)"(?:,|$)/i;

/** The metrics of a service, parsed strictly from Prometheus's text format. */
export class ReadMetrics {
  readonly text: string;
  readonly samples: Sample[] = [];
  /** The type of each metric: counter, gauge or histogram. */
  readonly types = new Map<string, string>();

  constructor(text: string) {
    this.text = text;
    for (const line of text.split("\n")) {
      const [, name = "", type = ""] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
      if (name !== "") this.types.set(name, type);
      else if (line !== "" && !line.startsWith("# HELP ")) this.samples.push(sampleIn(line));
    }
  }

  /** The value of the only sample with these labels, and maybe others. @throws unless there is exactly one */
  value(name: string, labels: Record<string, string> = {}): number {
    const found = this.all(name, labels);
    if (found.length !== 1) throw new Error(`${found.length} samples are ${name} ${JSON.stringify(labels)}`);
    return found[0]?.value ?? Number.NaN;
  }

  /** The sum over all samples with these labels. */
  sum(name: string, labels: Record<string, string> = {}): number {
    return this.all(name, labels).reduce((sum, { value }) => sum + value, 0);
  }

  all(name: string, labels: Record<string, string> = {}): Sample[] {
    const wanted = Object.entries(labels);
    return this.samples.filter(
      (sample) => sample.name === name && wanted.every(([label, value]) => sample.labels[label] === value),
    );
  }
}

/** Reads the metrics from an administration listener. */
export async function metricsAt(adminUrl: string): Promise<ReadMetrics> {
  const response = await fetch(`${adminUrl}/metrics`);
  if (response.status !== 200) throw new Error(`/metrics answers ${response.status}: ${await response.text()}`);
  return new ReadMetrics(await response.text());
}

function sampleIn(line: string): Sample {
  const [, name, inner = "", value] = LINE.exec(line) ?? [];
  if (name === undefined) throw new Error(`this is no sample: ${line}`);
  const labels: Record<string, string> = {};
  for (let rest = inner; rest !== ""; ) {
    const [whole, label, text] = LABEL.exec(rest) ?? [];
    if (whole === undefined || label === undefined || text === undefined)
      throw new Error(`these are no labels: ${line}`);
    labels[label] = text;
    rest = rest.slice(whole.length);
  }
  return { name, labels, value: Number(String(value).replace("Inf", "Infinity")) };
}

export const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;

/** Runs Prometheus's own tool. It prints nothing without problems. */
export function promtool(args: string[], input = ""): { status: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync("promtool", args, { input, encoding: "utf8" });
  return { status, said: stdout + stderr };
}
