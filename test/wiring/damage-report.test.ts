import { expect, test } from "bun:test";
import { pino } from "pino";
import { type CheckDatabase, DamageReport } from "../../src/wiring/health.ts";

/** A report, and the lines that it logs. */
function newReport() {
  const lines: string[] = [];
  const report = new DamageReport(pino({ base: null }, { write: (line: string) => void lines.push(line) }));
  return { report, logged: () => lines.map((line) => JSON.parse(line)) };
}

/** A check that ends only when it is aborted. */
const endless: CheckDatabase = (signal) =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

test("a check that reaches its time limit is reported, with what to do", async () => {
  const { report, logged } = newReport();
  await report.check(endless, 20);
  expect(logged()).toMatchObject([
    {
      level: 40,
      seconds: 0.02,
      msg: "the last stop was unclean, and the check of the database did not end: run `petstore database check`",
    },
  ]);
  expect(report.isDamaged).toBe(false);
});

test("a check that fails is reported with the reason", async () => {
  const { report, logged } = newReport();
  await report.check(() => Promise.reject(new Error("no process can be started")));
  expect(logged()).toMatchObject([{ level: 40, err: { message: "no process can be started" } }]);
});

test("a start that reports a loss does not call the database intact afterwards", async () => {
  const { report, logged } = newReport();
  report.reportLost({ from: 6, to: 25 });
  await report.check(() => Promise.resolve({ problems: [], lost: { from: 6, to: 25 } }));
  expect(logged()).toMatchObject([
    { level: 50, lost: { from: 6, to: 25 }, msg: expect.stringContaining("acknowledged pets are lost") },
    { level: 30, msg: "the last stop was unclean; the check found no other damage" },
  ]);
  expect(report.isDamaged).toBe(true);
});

test("damage that a request meets is reported once, and other failures of the database are not", () => {
  const { report, logged } = newReport();
  const failure = (message: string, errcode: number) => Object.assign(new Error(message), { errcode });
  report.notice(failure("database is locked", 5));
  report.notice(new Error("the disk is full"));
  expect(report.isDamaged).toBe(false);
  for (let i = 0; i < 2; i++) report.notice(failure("database disk image is malformed", 11));
  expect(report.isDamaged).toBe(true);
  expect(logged()).toMatchObject([
    {
      level: 50,
      err: { message: "database disk image is malformed" },
      msg: expect.stringContaining("the database is damaged"),
    },
  ]);
});

test("a stop ends a check without a line", async () => {
  const { report, logged } = newReport();
  const ended = report.check(endless);
  report[Symbol.dispose]();
  await ended;
  expect(logged()).toEqual([]);
});
