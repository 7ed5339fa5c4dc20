import { parseArgs } from "node:util";
import { type Effort, FULL, QUICK } from "./effort.ts";
import { type Measure, measures } from "./measures.ts";

export type Options = {
  effort: Effort;
  measures: Measure[];
  /** Whether docs/performance.md is to get the figures. */
  write: boolean;
};

const USAGE = `npm run bench -- [--quick] [--only NAME]… [--write]

Compares the service with its targets and with other servers on the same machine.
Needs two cores, and wrk, nginx, redis-server, pgbench and taskset; a missing tool skips the benchmarks that need it.

  --quick      fewer and shorter rounds: about four minutes rather than twelve.
               They show whether each benchmark works, and do not judge:
               a missed target is reported, and fails only the full run
  --only NAME  run only this benchmark; may be repeated
  --write      write the figures to docs/performance.md
  --help       print this help

Benchmarks:
${measures.map(({ name, title }) => `  ${name.padEnd(18)} ${title}`).join("\n")}

Exits with 0 if every benchmark ran and none failed, otherwise with 1.`;

/** The options on the command line. Ends the process with the usage for --help, and with 2 for anything wrong. */
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
    return { effort: values.quick ? QUICK : FULL, measures: chosen(values.only), write: values.write };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    process.exit(2);
  }
}

function chosen(names: string[] | undefined): Measure[] {
  const unknown = names?.find((name) => !measures.some((measure) => measure.name === name));
  if (unknown !== undefined) throw new Error(`There is no benchmark ${unknown}.`);
  return measures.filter(({ name }) => names?.includes(name) ?? true);
}
