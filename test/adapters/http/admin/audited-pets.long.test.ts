import { describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { bearer } from "../../../support/client.ts";
import { eventually } from "../../../support/eventually.ts";
import { states } from "../../../support/markdown.ts";
import { commandFor, MAIN } from "../../../support/runtime.ts";
import type { Engine } from "../../../support/store.ts";
import { useOperator, useService } from "../../../support/use-service.ts";

type Recorded = { id: number; action: string; target: string; after: { imported: number; line: number } };

/** More than the time after which an import is abandoned. */
const MINUTES = 6;

/** Has the database refuse rows of a table for which a condition holds, which names columns after `NEW.`. */
const refusals: Record<Engine, (table: string, condition: string) => { begin: string; end: string }> = {
  sqlite: (table, condition) => ({
    begin: `CREATE TRIGGER refused BEFORE INSERT ON ${table} WHEN ${condition} BEGIN SELECT RAISE(ABORT, 'refused'); END`,
    end: "DROP TRIGGER refused",
  }),
  postgres: (table, condition) => ({
    begin: `ALTER TABLE ${table} ADD CONSTRAINT refused CHECK (NOT (${condition.replaceAll("NEW.", "")})) NOT VALID`,
    end: `ALTER TABLE ${table} DROP CONSTRAINT refused`,
  }),
};
const engines = Object.keys(refusals) as Engine[];

const PET = '{"name":"Rex","categoryId":1}\n';

describe.each(engines)("on %s", (engine) => {
  // As that of the commands: an import by one is not abandoned while it goes on.
  const service = useService({ store: engine, now: Date.now() });
  const { client: admin, operator } = useOperator(service);

  const count = async () => (await admin.get("/admin/v1/pets/export")).text.split("\n").length - 1;
  const entries = async (): Promise<Recorded[]> => (await admin.get("/admin/v1/audit?limit=200")).body.entries;
  const newest = async () => (await entries())[0];
  const importing = async (body: string) => {
    const headers = { "Content-Type": "application/x-ndjson" };
    const { text } = await admin.request("/admin/v1/pets/import", { method: "POST", headers, body });
    return JSON.parse(text.trimEnd().split("\n").at(-1) ?? "");
  };
  /** Runs `work` while the database refuses such rows. */
  const refusing = async (table: string, condition: string, work: () => Promise<void>) => {
    await using connection = await service.store.connect();
    const { begin, end } = refusals[engine](table, condition);
    await connection.run(begin);
    await work();
    await connection.run(end);
  };
  /** The entries since the newest at the time of the call. */
  const newEntries = async () => {
    const before = (await newest())?.id ?? 0;
    return async () => (await entries()).filter(({ id }) => id > before);
  };
  /** Restarts the service when the import that was killed is abandoned, and returns its entry. */
  const entryOfKilled = async (since: () => Promise<Recorded[]>) => {
    expect(await since()).toEqual([]);
    await service.kill();
    await service.start({ now: Math.max(Date.now(), service.now) + MINUTES * 60_000 });
    await eventually(async () => (await since()).length > 0);
    const [entry, ...others] = await since();
    expect(others).toEqual([]);
    return entry;
  };

  test.each([
    ["audit", "NEW.action = 'pet.create'"],
    ["pets", "NEW.name = 'Rex'"],
  ])("a pet and its audit entry are both added or neither: a failure in %s", async (table, condition) => {
    states("docs/administration.md", "A change and its entry are stored together, or neither is.");
    const before = { pets: await count(), entry: await newest() };
    await refusing(table, condition, async () => {
      expect((await admin.post("/admin/v1/pets", { name: "Rex", categoryId: 1 })).status).toBe(503);
      expect({ pets: await count(), entry: await newest() }).toEqual(before);
    });
    const { body: pet } = await admin.post("/admin/v1/pets", { name: "Rex", categoryId: 1 });
    expect(await count()).toBe(before.pets + 1);
    expect(await newest()).toMatchObject({ action: "pet.create", target: String(pet.id), after: pet });
  });

  test("an import has one entry, with what it added", async () => {
    states(
      "CHANGELOG.md",
      "An import is one entry of the audit log, `pets.import` or `categories.import`, with the name of the file and what became of its lines, also when it was interrupted or its process was killed.",
    );
    const before = await count();
    const since = await newEntries();
    expect(await importing(`nothing\n${PET.repeat(1_200)}`)).toMatchObject({ done: true, imported: 1_200 });
    expect(await since()).toMatchObject([
      { action: "pets.import", after: { format: "ndjson", imported: 1_200, rejected: 1, line: 1_201, isWhole: true } },
    ]);
    expect(await count()).toBe(before + 1_200);
  });

  test("a batch that cannot be kept adds no pet, and ends the import, whose entry says how far it got", async () => {
    const before = await count();
    const since = await newEntries();
    const pattern = `NEW.entry LIKE '%"imported":____,%'`;
    await refusing("imports", pattern, async () => {
      const { done, imported } = await importing(PET.repeat(3_000));
      expect(done).toBe(false);
      expect(imported).toBeWithin(1, 1_000);
      expect(await count()).toBe(before + imported);
      expect(await since()).toMatchObject([{ after: { imported, rejected: 0, line: imported, isWhole: false } }]);
    });
  });

  test("an import by a process that was killed has one entry, which names the pets that it added", async () => {
    states(
      "docs/administration.md",
      "`file` is there for an import by a command, `-` for standard input.",
      "The entry says what the catalogue has of the file, also when the process is killed.",
      "a running service then adds its entry",
    );
    const before = await count();
    const since = await newEntries();
    const { directory, url } = service.store;
    const [program, ...options] = commandFor(MAIN);
    const importer = spawn(program, [...options, "pets", "import", "-", "--format", "ndjson"], {
      cwd: directory,
      env: { PATH: process.env.PATH, DATABASE_URL: url },
      stdio: ["pipe", "ignore", "ignore"],
    });
    importer.stdin.on("error", () => {});
    importer.stdin.write(PET.repeat(100_000));
    await eventually(async () => (await count()) > before);
    importer.kill("SIGKILL");
    await once(importer, "close");
    const imported = (await count()) - before;
    const after = { file: "-", imported, line: imported, isWhole: false, endedAt: expect.any(String) };
    const operator = { name: expect.stringContaining("command line") };
    expect(await entryOfKilled(since)).toMatchObject({ action: "pets.import", operator, after });
  });

  test("an import by a service that was killed has one entry, which names the pets that it added", async () => {
    const before = await count();
    const since = await newEntries();
    const upload = fetch(`${service.adminUrl}/admin/v1/pets/import`, {
      method: "POST",
      headers: { ...bearer(operator.token), "Content-Type": "application/x-ndjson" },
      body: PET.repeat(100_000),
    });
    const answered = upload.then((response) => response.text()).catch(() => {});
    await eventually(async () => (await count()) > before);
    await service.kill();
    await answered;
    await service.start();
    const imported = (await count()) - before;
    const after = { imported, line: imported, isWhole: false };
    expect(await entryOfKilled(since)).toMatchObject({ action: "pets.import", operator: { id: operator.id }, after });
  });
});
