import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { commandFor, type Runtime } from "../support/runtime.ts";
import { runtimes } from "../support/runtimes.ts";
import { collidingBodies, largestBodies, type Times } from "./json-speed.ts";

/**
 * The most that a body may keep other requests waiting, in ms, and the same as a multiple of the time of a simple loop over the
 * body: on a slow or shared core it is more than that.
 */
const bounds: Record<Runtime, { ms: number; loops: number }> = {
  bun: { ms: 2.5, loops: 23 },
  node: { ms: 5, loops: 75 },
};

describe.each(runtimes)("on %s", (runtime) => {
  const { ms, loops } = bounds[runtime];
  let times: Times | undefined;

  test.each([...largestBodies, ...collidingBodies])(`the largest body, of %s, is parsed within ${ms} ms`, (content) => {
    times ??= timesOn(runtime);
    const { parse = Infinity, loop = 0 } = times[content] ?? {};
    expect(parse).toBeLessThan(Math.max(ms, loops * loop));
  });
});

function timesOn(runtime: Runtime): Times {
  const [program, ...options] = commandFor(fileURLToPath(new URL("json-speed.ts", import.meta.url)), runtime);
  const { stdout, stderr } = spawnSync(program, options, { encoding: "utf8", timeout: 240_000 });
  if (stdout === "") throw new Error(`It printed no times: ${stderr}`);
  return JSON.parse(stdout);
}
