import { parseArgs } from "node:util";
import type { Benchmark } from "./benchmark.ts";
import { benchmarks } from "./benchmarks.ts";
import { type Effort, FULL, QUICK } from "./effort.ts";

type Options = {
  effort: Effort;
  benchmarks: Benchmark[];
  /** Whether to write the figures to docs/development/benchmarks.md and docs/performance.md. */
  write: boolean;
};

const USAGE = `npm run bench -- [--quick] [--only NAME]… [--write]

Compares the service with its targets and with other servers on the same machine.
Needs two cores, and wrk, nginx, redis-server, pgbench, go, cargo, cc and taskset; a missing tool skips the benchmarks that need it.

  --quick      fewer and shorter rounds: about twelve minutes rather than forty.
               They show whether each benchmark works, and do not judge:
               a missed target is reported, and fails only the full run
  --only NAME  run only this benchmark, or those whose names begin so; may be repeated
  --write      write the figures to docs/development/benchmarks.md and docs/performance.md
  --help       print this help

Benchmarks:
${benchmarks.map(({ name, title }) => `  ${name.padEnd(23)} ${title}`).join("\n")}

Exits with 0 if every benchmark ran and none failed, otherwise with 1.`;

/** Reads the command line. For --help it prints the usage and exits; for an invalid option it exits with 2. */
export function readOptions(args: string[]): Options {
  try {
    const { values } = parseArgs({
      args,
      options: {
        quick: { type: "boolean", default: false },
        only: { type: "string", multiple: true },
        write: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
    if (values.help) {
      console.log(USAGE);
      process.exit(0);
    }
    if (values.write && values.only) throw new Error("--write needs every benchmark: it excludes --only.");
    return { effort: values.quick ? QUICK : FULL, benchmarks: chosen(values.only), write: values.write };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    process.exit(2);
  }
}

function chosen(names: string[] | undefined): Benchmark[] {
  if (names === undefined) return benchmarks;
  const found = names.map((name) => {
    const exact = benchmarks.filter((benchmark) => benchmark.name === name);
    return exact.length > 0 ? exact : benchmarks.filter((benchmark) => benchmark.name.startsWith(`${name}-`));
  });
  const unknown = names.find((_, i) => found[i]?.length === 0);
  if (unknown !== undefined) throw new Error(`There is no benchmark ${unknown}.`);
  return benchmarks.filter((benchmark) => found.some((each) => each.includes(benchmark)));
}
