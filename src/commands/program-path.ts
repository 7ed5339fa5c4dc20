/**
 * The command line of this program without its arguments: the runtime, its options, and main.ts. A single executable is
 * one file, so deploy/executable.ts replaces the list.
 */
export const PROGRAM: string[] = [process.execPath, ...process.execArgv, ...process.argv.slice(1, 2)];
