import { expect, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pino from "pino";
import { Metrics } from "../../src/adapters/prometheus/metrics.ts";
import { WorkerMetrics, Workers } from "../../src/commands/workers.ts";
import { eventually } from "../support/eventually.ts";
import { temporaryDirectory } from "../support/temporary.ts";

/** A worker that writes its process id into a file once it listens, until its parent ends it. */
const programWith = (file: string) =>
  `require("node:fs").appendFileSync(${JSON.stringify(file)}, process.pid + "\\n");
   process.on("message", () => process.send("here"));
   process.send("listening");`;

test("after a stop no worker takes the place of one that has just ended", async () => {
  const directory = temporaryDirectory();
  const file = join(directory, "started");
  writeFileSync(file, "");
  const started = () => readFileSync(file, "utf8").trim().split("\n").filter(Boolean).map(Number);
  const figures = { cpu: () => ({ user: 0, system: 0 }), memory: () => 0, startedAt: 0 };
  using own = new Metrics({ version: "1.0.0", runtime: "test", deployment: "production" }, figures);
  const metrics = new WorkerMetrics(own);
  const command = [process.execPath, "-e", programWith(file)];
  const workers = new Workers(command, process.env, pino({ enabled: false }), metrics);
  await workers.start(2);
  expect([started().length, metrics.listening, metrics.lost]).toEqual([2, 2, 0]);
  process.kill(started()[0] ?? 0, "SIGKILL");
  await eventually(() => metrics.lost === 1);
  await eventually(() => started().length === 3 && metrics.listening === 2);
  process.kill(started()[1] ?? 0, "SIGKILL");
  await eventually(() => metrics.lost === 2);
  await workers.stop();
  // Longer than until another one begins.
  await pause(1_500);
  expect([started().length, metrics.listening]).toEqual([3, 0]);
  rmSync(directory, { recursive: true });
});
