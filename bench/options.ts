import { parseArgs } from "node:util";
import { type Effort, FULL, QUICK } from "./effort.ts";

export type Options = {
  effort: Effort;
  /** The file that is to get everything that was measured, as JSON. */
  json: string | undefined;
  /** Whether docs/performance.md is to get the tables. */
  write: boolean;
};

const USAGE = `npm run bench -- [--quick] [--json FILE] [--write]

  --quick      fewer and shorter rounds: about two minutes rather than ten
  --json FILE  writes everything that was measured to FILE
  --write      puts the tables into docs/performance.md`;

/** The options on the command line. Ends the process with the usage for --help, and with 2 for anything unknown. */
export function readOptions(args: string[]): Options {
  try {
    const { values } = parseArgs({
      args,
      options: {
        quick: { type: "boolean", default: false },
        json: { type: "string" },
        write: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
    if (values.help) {
      console.log(USAGE);
      process.exit(0);
    }
    return { effort: values.quick ? QUICK : FULL, json: values.json, write: values.write };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    process.exit(2);
  }
}
