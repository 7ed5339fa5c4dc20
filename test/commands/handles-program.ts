/** Runs commands one after the other in this process, and prints what each leaves open. Argument: JSON of their words. */
import { readdirSync, readlinkSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { petstoreCommand } from "../../src/commands/petstore.ts";

/** What standard input, output and error are: the runtime may open them again. */
const standard = [0, 1, 2].map((descriptor) => readlinkSync(`/proc/self/fd/${descriptor}`));

/** Files and connections that this process has open, and on Node its timers. */
function open(): string[] {
  const descriptors = readdirSync("/proc/self/fd").flatMap((name) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${name}`);
      return /^(\/(?!dev\/|proc\/)|socket:)/.test(target) && !standard.includes(target) ? [target] : [];
    } catch {
      return [];
    }
  });
  const resources = "Bun" in globalThis ? [] : process.getActiveResourcesInfo();
  return [...descriptors, ...resources.filter((name) => name === "Timeout" || name === "ProcessWrap")].sort();
}

const left: Record<string, unknown> = {};
const write = process.stdout.write.bind(process.stdout);
for (const words of JSON.parse(process.argv.at(-1) ?? "[]") as string[][]) {
  const before = open();
  process.stdout.write = ((_: unknown, ...rest: unknown[]) => {
    for (const done of rest) if (typeof done === "function") done();
    return true;
  }) as typeof process.stdout.write;
  try {
    await (await petstoreCommand(words[0])).parseAsync(words, { from: "user" });
  } finally {
    process.stdout.write = write;
  }
  // What is closed in the background is closed by then.
  for (let tries = 0; tries < 40 && open().length > before.length; tries++) await pause(50);
  const after = open();
  for (const one of before) if (after.includes(one)) after.splice(after.indexOf(one), 1);
  left[words.join(" ")] = { code: process.exitCode ?? 0, left: after };
  process.exitCode = 0;
}
write(JSON.stringify(left));
