import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  type Backup,
  backupJson,
  backupName,
  backupTime,
  isDue,
  newest,
  obsolete,
  parseBackup,
} from "../../src/domain/backups.ts";
import { deployments } from "../../src/domain/deployment.ts";
import { holds } from "../support/holds.ts";
import { states } from "../support/markdown.ts";

const HOUR = 3_600_000;
/** Any time of four-digit years. */
const time = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) });
const cause = fc.constantFrom("schedule" as const, "operator" as const);
const dated = fc.record({ at: fc.integer({ min: 0, max: 1_000 }), cause });

test("names give the time and the deployment back, and sort by time", () => {
  states(
    "docs/backups.md",
    "`petstore-production-2026-12-02T10-00-00.250Z.db` is the name of a backup of production, with its time in UTC.",
  );
  const example = backupName("production", Date.UTC(2026, 11, 2, 10, 0, 0, 250));
  expect(example).toBe("petstore-production-2026-12-02T10-00-00.250Z.db");
  holds(
    fc.property(time, time, fc.constantFrom(...deployments), (a, b, deployment) => {
      const [first, second] = [backupName(deployment, a), backupName(deployment, b)];
      expect(backupTime(first, deployment)).toBe(a);
      expect(Math.sign(first < second ? -1 : Number(first > second))).toBe(Math.sign(a - b));
      for (const other of deployments) if (other !== deployment) expect(backupTime(first, other)).toBeUndefined();
    }),
  );
});

test.each([
  "petstore.db",
  "petstore-production-2026-12-02.db",
  "petstore-production-2026-12-02T10-00-00.250Z.db.json",
  "petstore-production-2026-12-02T10-00-00.250Z.db.unfinished-1",
  "petstore-production-2026-13-02T10-00-00.250Z.db",
  "../petstore-production-2026-12-02T10-00-00.250Z.db",
])("%s is no name of a backup", (name) => {
  expect(backupTime(name, "production")).toBeUndefined();
});

test("a backup is due when there is none, when the interval is over, and when the clock was set back before it", () => {
  expect(isDue(undefined, HOUR, 0)).toBe(true);
  expect(isDue(5, HOUR, 5 + HOUR - 1)).toBe(false);
  expect(isDue(5, HOUR, 5 + HOUR)).toBe(true);
  expect(isDue(5, HOUR, 5)).toBe(false);
  expect(isDue(5, HOUR, 4)).toBe(true);
});

test("however many backups were missed, one is made up for, and then none is due for an interval", () => {
  holds(
    fc.property(fc.array(dated), fc.integer({ min: 0, max: 1_000 }), (backups, now) => {
      const latest = newest(backups, now);
      const after = latest !== undefined && !isDue(latest.at, 100, now) ? backups : [...backups, { at: now }];
      expect(isDue(newest(after, now)?.at, 100, now)).toBe(false);
    }),
  );
});

test("what is deleted is the schedule's, leaves as many as are kept, and is older than all of these", () => {
  const keep = fc.integer({ min: 1, max: 5 });
  holds(
    fc.property(fc.array(dated), keep, fc.integer({ min: 0, max: 1_000 }), (backups, kept, now) => {
      const gone = obsolete(backups, kept, now);
      const left = backups.filter((backup) => !gone.includes(backup));
      expect(gone.every((backup) => backup.cause === "schedule")).toBe(true);
      const scheduled = left.filter((backup) => backup.cause === "schedule");
      expect(scheduled.length).toBe(Math.min(kept, backups.filter((backup) => backup.cause === "schedule").length));
      const oldest = Math.min(...scheduled.filter(({ at }) => at <= now).map(({ at }) => at));
      if (scheduled.some(({ at }) => at <= now)) {
        expect(gone.every(({ at }) => at <= oldest || at > now)).toBe(true);
      }
    }),
  );
});

test("the backup that was just made is never deleted, also when the clock was set back by years", () => {
  const ofTheFuture = [1, 2, 3].map((year) => ({ at: Date.UTC(2030 + year, 1), cause: "schedule" as const }));
  const made = { at: Date.UTC(2026, 1), cause: "schedule" as const };
  expect(obsolete([...ofTheFuture, made], 1, made.at)).not.toContain(made);
  expect(newest([...ofTheFuture, made], made.at)).toBe(made);
  expect(newest(ofTheFuture, made.at)).toBeUndefined();
});

test("a list shows when each was made and checked, and what is in it, and of one without a description what its file says", () => {
  const name = backupName("production", 0);
  const facts = { cause: "schedule", pets: 1, orders: 2, keys: 3, schema: 4, problem: "it is damaged" } as const;
  const written = { name, database: "sqlite:/a", bytes: 5, sha256: "0".repeat(64), verifiedAt: HOUR };
  const stored = { name, at: 0, bytes: 6 };
  const shown = { name, createdAt: "1970-01-01T00:00:00.000Z", bytes: 6 };
  expect(backupJson("s3", { ...stored, description: { ...written, ...facts } })).toEqual({
    ...{ ...shown, ...facts, place: "s3", verifiedAt: "1970-01-01T01:00:00.000Z" },
  });
  expect(backupJson("directory", { ...stored, description: undefined })).toEqual({
    ...{ ...shown, place: "directory", verifiedAt: null },
    ...{ cause: null, pets: null, orders: null, keys: null, schema: null, problem: null },
  });
});

test("only a complete description of the backup itself is read", () => {
  const backup: Backup = {
    ...{ name: "a.db", database: "sqlite:/a", cause: "schedule", bytes: 1, sha256: "0".repeat(64), schema: 1 },
    ...{ pets: 0, orders: 0, keys: 0, verifiedAt: 0, problem: null },
  };
  expect(parseBackup(JSON.stringify(backup), "a.db")).toEqual(backup);
  expect(parseBackup(JSON.stringify(backup), "b.db")).toBeUndefined();
  for (const text of [
    "",
    "[]",
    "null",
    "{",
    JSON.stringify({ ...backup, pets: -1 }),
    JSON.stringify({ ...backup, more: 1 }),
    ...["", "0".repeat(63), "0".repeat(65), "F".repeat(64)].map((sha256) => JSON.stringify({ ...backup, sha256 })),
    ...["bytes", "schema", "orders", "keys"].map((count) => JSON.stringify({ ...backup, [count]: -1 })),
    ...Object.keys(backup).map((field) => JSON.stringify({ ...backup, [field]: undefined })),
    ...Object.keys(backup).map((field) => JSON.stringify({ ...backup, [field]: [] })),
  ]) {
    expect([text, parseBackup(text, "a.db")]).toEqual([text, undefined]);
  }
});
