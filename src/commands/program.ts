/**
 * The command line that runs this very program once more, up to its arguments: the runtime, its options, and main.ts.
 * In a single executable there is only the one file, so deploy/executable.ts puts another list in its place.
 */
export const PROGRAM: string[] = [process.execPath, ...process.execArgv, ...process.argv.slice(1, 2)];
