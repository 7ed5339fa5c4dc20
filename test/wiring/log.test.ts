import { expect, test } from "bun:test";
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify, stripVTControlCharacters } from "node:util";
import pino from "pino";
import { PetstoreError, unavailable } from "../../src/domain/errors.ts";
import { newSecret } from "../../src/domain/keys/secret.ts";
import { DamageReport } from "../../src/wiring/health.ts";
import { failureLog } from "../../src/wiring/log.ts";
import { states } from "../support/markdown.ts";
import { commandFor } from "../support/runtime.ts";

const PROGRAM = fileURLToPath(new URL("../support/log-a-secret.ts", import.meta.url));

async function logged(how: "terminal" | "file", secret: string): Promise<string> {
  const [program, ...args] = commandFor(PROGRAM);
  const { stdout, stderr } = await promisify(execFile)(program, [...args, how, secret]);
  return stdout + stderr;
}

test("on a terminal a line has its time, level and message, and neither process nor host", async () => {
  states("docs/monitoring.md", "On a terminal the lines are formatted for reading.");
  const lines = stripVTControlCharacters(await logged("terminal", "any")).split("\n");
  expect(lines[0]).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: any$/);
  expect(lines.filter((line) => / (INFO|WARN|ERROR|DEBUG): | (INFO|WARN|ERROR|DEBUG) \(/.test(line))).toHaveLength(5);
  expect(lines.filter((line) => /\(\d+\)|hostname/.test(line))).toEqual([]);
});

test.each(["production", "staging"] as const)(
  "a secret of %s never reaches the log, however it gets there",
  async (deployment) => {
    states("SECURITY.md", "and anything that looks like a key is removed from every line.");
    states(
      "docs/monitoring.md",
      "The log never contains keys (anything that looks like a key is removed from every line",
    );
    const secret = newSecret(deployment);
    for (const how of ["terminal", "file"] as const) {
      const output = await logged(how, secret);
      expect(output).not.toContain(secret.slice("pets_live_".length, -"_checks".length));
      expect(output).toContain("a key: ");
      expect(output).toContain("[key]");
      expect(output).toContain("the end");
    }
  },
);

test("in a file the log is a JSON object a line", async () => {
  states("docs/monitoring.md", "`level` (30 info, 40 warn, 50 error), `time` (Unix ms), `msg` and its details.");
  states("docs/monitoring.md", "The log goes to standard output, one JSON object per line (pino)");
  const lines = (await logged("file", newSecret("production"))).trim().split("\n");
  expect(lines).toHaveLength(5);
  for (const line of lines)
    expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number), time: expect.any(Number) });
});

/** A failure log at a settable time, its lines, and whether it has reported damage. */
function newLog() {
  const lines: object[] = [];
  const time = { now: 0 };
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const damage = new DamageReport(log);
  const report = failureLog(
    log,
    () => time.now,
    damage,
    () => ({ traceId: "trace" }),
  );
  return { lines, time, report, damage };
}

test("an unavailable dependency is logged once per second, with the number of suppressed lines", () => {
  const { lines, time, report } = newLog();
  const reportAt = (now: number) => {
    time.now = now;
    report(unavailable(new Error("no database")), `request-${now}`);
  };
  for (const now of [0, 1, 500, 999, 1_000, 1_500, 2_000, 3_000]) reportAt(now);
  const line = { level: 50, err: { message: "no database" }, traceId: "trace" };
  expect(lines).toMatchObject([
    { ...line, requestId: "request-0" },
    { ...line, requestId: "request-1000", suppressed: 3 },
    { ...line, requestId: "request-2000", suppressed: 1 },
    { ...line, requestId: "request-3000" },
  ]);
  expect(lines[0]).not.toHaveProperty("suppressed");
  expect(lines[3]).not.toHaveProperty("suppressed");
});

test("every other failure is logged", () => {
  states("docs/upgrading.md", "A 500 | A bug in the service. | Find `requestId` in the log and report it, with `err`.");
  states(
    "docs/monitoring.md",
    "any other | error | The service returned 500 or 503: `err` has the cause, `requestId` identifies the response.",
  );
  const { lines, report } = newLog();
  for (const id of ["a", "b"]) report(new PetstoreError("internal_error", { cause: new Error("a bug") }), id);
  const line = { level: 50, err: { message: "a bug" }, traceId: "trace" };
  expect(lines).toMatchObject(["a", "b"].map((requestId) => ({ ...line, requestId })));
});

test("a damaged file is reported as damage", () => {
  const { report, damage } = newLog();
  report(unavailable(Object.assign(new Error("database disk image is malformed"), { errcode: 11 })), "a");
  expect(damage.isDamaged).toBe(true);
});
