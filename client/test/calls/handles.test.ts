import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { commandFor } from "../../../test/support/runtime.ts";
import { runtimes } from "../../../test/support/runtimes.ts";

const PROGRAM = fileURLToPath(new URL("../support/handles-program.ts", import.meta.url));
/** Calls, and how they end. */
const ENDS = {
  success: "ok",
  "an error": "pet_not_found",
  "no JSON": "unexpected_response",
  "a closed connection": "connection_failed",
  "an incomplete body": "connection_failed",
  "a time-out": "timed_out",
  "a time-out of the body": "timed_out",
  "the end of the budget": "timed_out",
  "an abort before": "aborted",
  "an abort of the request": "aborted",
  "an abort of the delay": "aborted",
  "an abort of the wait": "aborted",
  "no time to wait": "quota_exceeded",
  retries: "ok",
  "many at once": "ok",
  "many that are left": "ok",
  "a fetch that throws": "connection_failed",
};

test.each(runtimes)("on %s no call leaves a timer, a request or a listener behind, however it ends", (runtime) => {
  const [program, ...args] = commandFor(PROGRAM, runtime);
  const { stdout, stderr, status } = spawnSync(program, args, { encoding: "utf8", timeout: 80_000 });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const left = { timers: 0, requests: 0, callbacks: 0, idle: "few" };
  expect(JSON.parse(stdout)).toEqual(
    Object.fromEntries(Object.entries(ENDS).map(([name, ended]) => [name, { ended, ...left }])),
  );
});
