import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { freePort } from "../support/ports.ts";
import { commandFor, MAIN } from "../support/runtime.ts";
import { hasS3, S3Server } from "../support/s3-server.ts";
import { type RunningService, startService } from "../support/service.ts";
import { sqliteIn } from "../support/store.ts";
import { temporaryDirectory } from "../support/temporary.ts";
import { startWorkers } from "../support/workers.ts";
import { Workplace } from "./petstore.ts";

const MINUTE = 60_000;
/** The tables of what clients and operators made. */
const TABLES = ["pets", "categories", "orders", "keys", "secrets", "operators", "inventory", "idempotency_keys"];

setDefaultTimeout(40_000);

let service: RunningService;
let petstore: Workplace;
let s3: S3Server | undefined;
beforeEach(() => {
  petstore = new Workplace();
});
afterEach(async () => {
  await service.remove();
  await s3?.stop();
  petstore.remove();
});

const directory = () => join(service.store.directory, "backups");
const namesIn = (path: string) => (existsSync(path) ? readdirSync(path).filter((name) => name.endsWith(".db")) : []);
const failures = async () => {
  const text = await (await fetch(`${service.adminUrl}/metrics`)).text();
  return Number(/^petstore_backup_failures_total (\d+)$/m.exec(text)?.[1]);
};
const start = async (env: Record<string, string> = {}) => {
  service = await startService({ store: sqliteIn(temporaryDirectory()), env: { PETSTORE_BACKUP_EVERY: "1h", ...env } });
};
const backupsAre = (count: number) => eventually(() => namesIn(directory()).length === count);

/** Resolves when the service has logged so many. */
const backupsWere = (count: number) =>
  eventually(() => service.output.filter((line) => line.includes("a backup was made")).length === count);

/** All rows of these tables in a database file. */
function rowsIn(path: string): Record<string, unknown[]> {
  using database = new DatabaseSync(path, { readOnly: true });
  return Object.fromEntries(TABLES.map((table) => [table, database.prepare(`SELECT * FROM ${table}`).all()]));
}

describe("a schedule", () => {
  test("makes a backup at the start, then one per interval, and keeps as many as it should", async () => {
    states(
      "docs/settings.md",
      "How often the service backs up its SQLite database",
      "How many backups of the schedule are kept",
      "Those that an operator asks for stay.",
    );
    await start({ PETSTORE_BACKUP_KEEP: "2" });
    await backupsWere(1);
    const [first = ""] = namesIn(directory());
    const { client: admin } = await service.withOperator();
    writeFileSync(join(directory(), "petstore-production-2020-01-01T00-00-00.000Z.db"), "copied by hand");
    await service.advance({ seconds: 1 });
    expect((await admin.request("/admin/v1/backups", { method: "POST" })).status).toBe(202);
    await backupsWere(2);
    for (const made of [3, 4]) {
      await service.advance({ seconds: 3_600 });
      await backupsWere(made);
    }
    const { backups, nextAt } = (await admin.get("/admin/v1/backups")).body;
    expect(Date.parse(nextAt)).toBe(Date.parse(backups[0].createdAt) + 60 * MINUTE);
    // The oldest of three is gone, and neither what the operator made nor what nobody described.
    expect(namesIn(directory())).not.toContain(first);
    const causes = backups.map(({ cause }: { cause: string | null }) => cause);
    expect(causes).toEqual(["schedule", "schedule", "operator", null]);
  });

  test("makes up for what was missed with one backup, and for none that was not missed", async () => {
    states(
      "docs/backups.md",
      "The service makes a backup when the last one of the schedule is so old, also right after a start: one makes up for all that were missed.",
    );
    await start();
    await backupsAre(1);
    await service.stop();
    await service.start({ now: service.now + 30 * MINUTE });
    await pause(1_500);
    expect(namesIn(directory())).toHaveLength(1);
    await service.stop();
    await service.start({ now: service.now + 24 * 60 * MINUTE });
    await backupsAre(2);
  });

  test("goes on when the clock is set back by years", async () => {
    states(
      "docs/backups.md",
      "Backups with times to come, as after a wrong clock, do not keep the schedule from making others.",
    );
    await start();
    await backupsAre(1);
    await service.setClock(service.now - 3 * 365 * 24 * 60 * MINUTE);
    await backupsAre(2);
  });

  test("with workers makes one backup, which their parent makes", async () => {
    states(
      "docs/backups.md",
      "A process of its own makes the backup, with the lowest priority: a copy of a million pets, 240 MB, takes 2 to 15 seconds. With `--workers` their parent starts it.",
    );
    states("docs/backups.md", "With `--workers` their parent starts it.");
    const store = sqliteIn(temporaryDirectory());
    const env = { DATABASE_URL: store.url, PETSTORE_BACKUP_EVERY: "1h" };
    const workers = await startWorkers(commandFor(MAIN), 2, env);
    try {
      const made = () => workers.log.filter(({ msg }) => msg === "a backup was made");
      await eventually(() => made().length > 0);
      expect(made()).toMatchObject([{ pid: workers.process.pid }]);
      await pause(2_000);
      expect(namesIn(join(store.directory, "backups"))).toHaveLength(1);
    } finally {
      await workers.remove();
    }
  });

  test("reports a failure, stays ready, and leaves nothing", async () => {
    states(
      "docs/backups.md",
      "The log has the reason, the metric `petstore_backup_failures_total` counts it,",
      "The service stays ready.",
    );
    const missing = join(temporaryDirectory(), "disk", "backups");
    await start({ PETSTORE_BACKUP_DIR: missing });
    await eventually(async () => (await failures()) === 1);
    expect(service.output.join("\n")).toContain(`The directory ${missing} cannot be made`);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    const { client: admin } = await service.withOperator();
    const { failure } = (await admin.get("/admin/v1/backups")).body;
    expect(failure).toMatchObject({ kind: "backup", at: new Date(service.now).toISOString() });
  });
});

describe("a restore", () => {
  /** Restores a file in another directory, starts a service on it, and compares everything with the backup. */
  async function expectRestored(from: string[], secret: string, backup: string, env: Record<string, string> = {}) {
    const restored = await petstore.run(["database", "restore", ...from, "--create", "--json"], { env });
    expect(restored.code).toBe(0);
    expect(rowsIn(petstore.path("petstore.db"))).toEqual(rowsIn(backup));
    expect(await petstore.json("database", "check")).toMatchObject({ intact: true, lost: null });
    const again = await startService({ store: petstore.store });
    const { pets } = restored.json;
    const inventory = (await again.withSecret(secret).get("/v1/store/inventory")).body;
    expect(inventory.available + inventory.pending + inventory.sold).toBe(pets);
    expect((await again.withSecret(secret).post("/v1/pets", { name: "Next", categoryId: 1 })).status).toBe(201);
    await again.kill();
  }

  /** Adds pets and orders until it is disposed. */
  function writing(client: Awaited<ReturnType<RunningService["withKey"]>>) {
    let isOver = false;
    const done = (async () => {
      while (!isOver) {
        const { body } = await client.post("/v1/pets", { name: "Rex", categoryId: 1 });
        await client.post("/v1/store/orders", { petId: body.id });
      }
    })();
    return {
      [Symbol.asyncDispose]: () => {
        isOver = true;
        return done;
      },
    };
  }

  test("of a scheduled backup made under writes, downloaded by an admin, has all pets, orders and keys", async () => {
    states("docs/backups.md", "You get the whole catalogue.");
    states(
      "docs/backups.md",
      "A backup is a copy of the whole database as of one moment, made while the service runs.",
      "It has the hashes of keys, but no key that works.",
      "Changes since the backup are lost, and keys that were revoked since then work again",
    );
    await start();
    const { id, secret } = await service.createKey();
    const client = service.withSecret(secret);
    const { client: admin, token } = await service.withOperator();
    await backupsAre(1);
    {
      await using _ = writing(client);
      await service.advance({ seconds: 3_600 });
      await backupsAre(2);
    }
    await eventually(async () => (await admin.get("/admin/v1/backups")).body.job === null);
    const { backups } = (await admin.get("/admin/v1/backups")).body;
    const [{ name, pets }] = backups;
    expect(pets).toBeGreaterThan(0);
    const file = petstore.path("downloaded.db");
    const headers = { Authorization: `Bearer ${token}` };
    const response = await fetch(`${service.adminUrl}/admin/v1/backups/directory/${name}`, { headers });
    writeFileSync(file, new Uint8Array(await response.arrayBuffer()));
    expect(readFileSync(file).equals(readFileSync(join(directory(), name)))).toBe(true);
    expect(rowsIn(file).keys).toContainEqual(expect.objectContaining({ id }));
    expect(rowsIn(file).secrets).not.toEqual([]);
    expect(readFileSync(file).includes(secret)).toBe(false);
    await admin.request(`/admin/v1/keys/${id}/revoke`, { method: "POST" });
    expect((await client.get("/v1/pets")).status).toBe(401);
    // A download has no description beside it.
    await expectRestored(["downloaded.db", "--unverified"], secret, file);
  });

  test.skipIf(!hasS3)("from S3 has them too, also when the server was away at first", async () => {
    states(
      "docs/backups.md",
      "Without a file the command makes a backup as the schedule does, in `PETSTORE_BACKUP_DIR` and `PETSTORE_BACKUP_S3`, that the schedule never deletes",
      "`PETSTORE_BACKUP_S3` | none | The bucket that gets a copy of each.",
      "counts as failed",
      "With `--s3` the command takes the name of a backup in the bucket instead of a file.",
      "Neither the log nor the console shows the access key.",
    );
    s3 = await S3Server.start();
    await s3.stop();
    const env = s3.env;
    await start(env);
    await eventually(async () => (await failures()) === 1);
    // The copy in the directory is there, and the command makes up for the one in the bucket.
    expect(namesIn(directory())).toHaveLength(1);
    await s3.start();
    const own = new Workplace(service);
    const { secret } = await service.createKey();
    await service.withSecret(secret).post("/v1/pets", { name: "Rex", categoryId: 1 });
    const at = String(service.now + MINUTE);
    const made = await own.run(["database", "backup", "--json", "--at", at], { env });
    expect(made.json).toMatchObject({ pets: 1, places: ["directory", "s3"] });
    const { name } = made.json;

    const { client: admin } = await service.withOperator();
    const listed = (await admin.get("/admin/v1/backups")).body;
    expect(listed.bucket).toBe("s3://backups/petstore/");
    expect(JSON.stringify(listed)).not.toContain("S3RVER");
    const times = listed.backups.map(({ createdAt }: { createdAt: string }) => createdAt);
    expect(times).toHaveLength(3);
    expect(times).toEqual(times.toSorted().reverse());
    const places = listed.backups.filter((backup: { name: string }) => backup.name === name);
    expect(places).toMatchObject([
      { place: "directory", cause: "operator" },
      { place: "s3", pets: 1, problem: null },
    ]);
    const verified = await own.run(["database", "backups", "verify", name, "--s3", "--json"], { env });
    expect(verified.json).toEqual({ name, place: "s3", problem: null });
    expect(readdirSync(directory()).filter((file) => file.includes(".unfinished-"))).toEqual([]);
    const { stdout } = await own.run(["database", "backups", "list"], { env });
    expect(stdout).toMatch(new RegExp(`^${name}  s3 .* verified\n  1 pet · 0 orders · \\d keys?$`, "m"));
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    const said = (await own.run(["database", "backup"], { env })).stdout;
    expect(said).toStartWith(`Backed up ${service.store.directory}/petstore.db to ${directory()} and to the bucket: `);
    const { json } = await own.run(["database", "backups", "list", "--json"], { env });
    expect(json.filter(({ place }: { place: string }) => place === "s3")).toHaveLength(2);
    // The names have the times.
    const names = json.map((backup: { name: string }) => backup.name);
    expect(names).toEqual([...names].sort().reverse());
    await expectRestored(["--s3", name], secret, join(directory(), name), env);
    expect(service.output.join("\n")).not.toContain("S3RVER");
  });
});

test("a bucket that does not answer fails each command that needs it, with its address and the reason", async () => {
  const petstore = new Workplace();
  await petstore.run(["pets", "import", "-", "--format", "ndjson", "--create"], {
    input: '{"name":"Rex","categoryId":1}',
  });
  const { name } = await petstore.json("database", "backup");
  const port = await freePort();
  const env = {
    PETSTORE_BACKUP_S3: "s3://backups",
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
    AWS_ACCESS_KEY_ID: "id",
    AWS_SECRET_ACCESS_KEY: "secret",
  };
  const commands = [["backup"], ["backups", "list"], ["backups", "verify", name, "--s3"], ["restore", name, "--s3"]];
  const results = await Promise.all(commands.map((command) => petstore.run(["database", ...command], { env })));
  for (const { code, stdout, stderr } of results) {
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(`127.0.0.1:${port} cannot be reached: `);
  }
  petstore.remove();
});
