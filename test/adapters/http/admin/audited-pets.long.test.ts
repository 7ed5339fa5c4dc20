import { describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { bearer } from "../../../support/client.ts";
import { eventually } from "../../../support/eventually.ts";
import { commandFor, MAIN } from "../../../support/runtime.ts";
import type { Engine } from "../../../support/store.ts";
import { useOperator, useService } from "../../../support/use-service.ts";

type Recorded = { id: number; action: string; target: string; after: { imported: number; line: number } };

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
  const service = useService({ store: engine });
  const { client: admin, operator } = useOperator(service);

  const count = async () => (await admin.get("/admin/v1/pets/export")).text.split("\n").length - 1;
  const ACTIONS = "pet.create,pets.import.begin,pets.import.batch,pets.import.end";
  const entries = async (): Promise<Recorded[]> =>
    (await admin.get(`/admin/v1/audit?limit=200&action=${ACTIONS}`)).body.entries;
  /** What lists have in place of all entries of the newest import. */
  const shown = async () => (await admin.get("/admin/v1/audit?limit=1")).body.entries[0];
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
  /** Resolves when an import has added a batch since the entry with this id. */
  const batchSince = (before = 0) =>
    eventually(async () => (await entries()).some(({ id, action }) => id > before && action === "pets.import.batch"));
  /** The entries of the newest import, oldest first. */
  const entriesOfImport = async () => {
    const all = await entries();
    return all.filter(({ target }) => target === all[0]?.target).toReversed();
  };

  test.each([
    ["audit", "NEW.action = 'pet.create'"],
    ["pets", "NEW.name = 'Rex'"],
  ])("a pet and its audit entry are both added or neither: a failure in %s", async (table, condition) => {
    const before = { pets: await count(), entry: await newest() };
    await refusing(table, condition, async () => {
      expect((await admin.post("/admin/v1/pets", { name: "Rex", categoryId: 1 })).status).toBe(503);
      expect({ pets: await count(), entry: await newest() }).toEqual(before);
    });
    const { body: pet } = await admin.post("/admin/v1/pets", { name: "Rex", categoryId: 1 });
    expect(await count()).toBe(before.pets + 1);
    expect(await newest()).toMatchObject({ action: "pet.create", target: String(pet.id), after: pet });
  });

  test("each batch of an import has an entry with the counts so far", async () => {
    const before = await count();
    expect(await importing(`nothing\n${PET.repeat(1_200)}`)).toMatchObject({ done: true, imported: 1_200 });
    const [begin, ...others] = await entriesOfImport();
    const [end, ...batches] = others.toReversed();
    expect(begin).toMatchObject({ action: "pets.import.begin", after: { format: "ndjson" } });
    expect(batches.map(({ action }) => action)).toEqual(Array(3).fill("pets.import.batch"));
    expect(batches[0]?.after).toEqual({ imported: 1_200, line: 1_201 });
    for (const { after } of batches) expect(after.line).toBe(after.imported + 1);
    expect(end).toMatchObject({ action: "pets.import.end", after: { imported: 1_200, rejected: 1, isWhole: true } });
    expect(await count()).toBe(before + 1_200);
  });

  test("a batch whose entry cannot be added adds no pet, and ends the import", async () => {
    const before = await count();
    const fourDigits = `length(NEW.after_json) > ${'{"imported":999,"line":999}'.length}`;
    await refusing("audit", `NEW.action = 'pets.import.batch' AND ${fourDigits}`, async () => {
      const { done, imported } = await importing(PET.repeat(3_000));
      expect(done).toBe(false);
      expect(imported).toBeWithin(1, 1_000);
      expect(await count()).toBe(before + imported);
      expect((await entriesOfImport()).map(({ after }) => after)).toEqual([
        { format: "ndjson" },
        { imported, line: imported },
        { imported, rejected: 0, line: imported, isWhole: false },
      ] as object[] as Recorded["after"][]);
    });
  });

  test("the entries of an import by a process that was killed name the pets that it added", async () => {
    const before = { pets: await count(), entry: await newest() };
    const { directory, url } = service.store;
    const [program, ...options] = commandFor(MAIN);
    const importer = spawn(program, [...options, "pets", "import", "-", "--format", "ndjson"], {
      cwd: directory,
      env: { PATH: process.env.PATH, DATABASE_URL: url },
      stdio: ["pipe", "ignore", "ignore"],
    });
    importer.stdin.on("error", () => {});
    importer.stdin.write(PET.repeat(100_000));
    await batchSince(before.entry?.id);
    importer.kill("SIGKILL");
    await once(importer, "close");
    const last = await newest();
    expect(last?.action).toBe("pets.import.batch");
    expect(await count()).toBe(before.pets + (last?.after.imported ?? 0));
    expect(await shown()).toMatchObject({ target: last?.target, after: { ...last?.after, isWhole: false } });
  });

  test("the entries of an import by a service that was killed name the pets that it added", async () => {
    const before = { pets: await count(), entry: await newest() };
    const upload = fetch(`${service.adminUrl}/admin/v1/pets/import`, {
      method: "POST",
      headers: { ...bearer(operator.token), "Content-Type": "application/x-ndjson" },
      body: PET.repeat(100_000),
    });
    const answered = upload.then((response) => response.text()).catch(() => {});
    await batchSince(before.entry?.id);
    await service.kill();
    await answered;
    await service.start();
    const last = await newest();
    expect(last?.action).toBe("pets.import.batch");
    expect(await count()).toBe(before.pets + (last?.after.imported ?? 0));
    expect(await shown()).toMatchObject({ target: last?.target, after: { ...last?.after, isWhole: false } });
  });
});
