import { readFileSync } from "node:fs";

/** Returns the processor time of a process so far, in µs: the 14th and 15th field of proc(5) are hundredths of a second. */
export function processorTimeOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}
