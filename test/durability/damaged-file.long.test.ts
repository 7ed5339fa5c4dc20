import { describe, expect, test } from "bun:test";
import { closeSync, openSync, readSync, statSync, writeSync } from "node:fs";
import { Database } from "../../src/adapters/sqlite/database.ts";
import { SqlitePets } from "../../src/adapters/sqlite/pets.ts";
import { damage } from "../adapters/sqlite/crashed.ts";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { useProgram } from "./use-program.ts";

/** Time for the processes that a test starts, on a busy machine, in ms. */
const TIMEOUT = 120_000;
const PETS = 5_000;
const PAGE = 4_096;

const service = useProgram({ timeout: TIMEOUT, prepare: fill });
const { workplace } = service;
const path = (ending?: string) => service.path(ending);
const logged = (): Record<string, unknown>[] =>
  service.program.printed.stdout.split("\n").flatMap((line) => (line.endsWith("}") ? [JSON.parse(line)] : []));
const entry = (message: RegExp) => logged().find(({ msg }) => message.test(String(msg)));
const create = async (): Promise<number> => {
  const answer = await service.create();
  expect(answer.status).toBe(201);
  return (await answer.json()).id;
};
const damagedMetric = async () => {
  const adminPort = entry(/^listening$/)?.adminPort;
  const metrics = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  return /^petstore_database_damaged (\d)$/m.exec(metrics)?.[1];
};

/** Adds pets to a closed database, whose file contains them afterwards. */
async function fill(file: string): Promise<void> {
  const database = new Database({ path: file, deployment: "production" });
  const pets = new SqlitePets(database);
  await database.write(() => {
    for (let i = 1; i <= PETS; i++) pets.insert({ name: `Pet ${i}`, categoryId: 1n }, { now: Date.now() });
  });
  database.close();
}

describe("after kill -9", () => {
  test("a damaged log is reported, and the ids of the lost pets are not given again", async () => {
    states("docs/monitoring.md", "`lost` has the range of ids, `problems` what SQLite found.");
    states(
      "docs/upgrading.md",
      "Stop it soon, keep a copy of all its files, and restore a backup.",
      "The metric follows with the next start.",
    );
    states(
      "docs/monitoring.md",
      "`lost` has the range of ids",
      "1 if damage of the SQLite database, or the loss of acknowledged pets, was found since the process started.",
    );
    states(
      "docs/reliability.md",
      "The log is damaged while the service is down | The next start reports which pets are lost, and gives none of their ids again.",
    );
    states(
      "docs/upgrading.md",
      "and exits with 1 if it finds anything.",
      "SQLite takes a damaged write-ahead log for one that ends earlier: acknowledged pets are gone without an error. The file `petstore.db.ids` notices it.",
      "If the database ends below the highest id, the start reports the ids of the lost pets.",
      "A loss is remembered: every start, `database check` and the commands report it until you restore a backup, or accept it with `petstore database check --accept-loss`. The metric follows with the next start.",
    );
    const ids = [];
    // Few enough for none of the log to be in the file.
    for (let i = 0; i < 10; i++) ids.push(await create());
    await service.program.kill();
    damage(path("-wal"), 0.5);

    const check = await workplace.run(["database", "check"]);
    expect(check).toMatchObject({ code: 1, stderr: "" });
    expect(check.stdout).toMatch(/^ {2}acknowledged pets are lost: ids 50\d\d to 5010$/m);
    expect(check.stdout).toStartWith(`${path()} is damaged:\n`);
    expect(check.stdout).toMatch(
      /\nStop the service and restore a backup with `.* database restore`, or accept the loss with --accept-loss\.\n$/,
    );
    expect(await workplace.run(["keys", "list"])).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /^petstore: acknowledged pets are lost, with ids from 50\d\d to 5010\. Restore a backup, or accept the loss with `.* database check --accept-loss`\.\n$/,
      ),
    });

    await service.start();
    expect(entry(/acknowledged pets are lost/)).toMatchObject({ level: 50, lost: { to: ids.at(-1) } });
    expect(await damagedMetric()).toBe("1");
    expect((await service.get("/v1/pets?order=desc&limit=1")).status).toBe(200);
    expect(await create()).toBeGreaterThan(ids.at(-1) ?? 0);

    service.program.process.kill("SIGTERM");
    expect((await service.program.end()).stdout).not.toContain("the database is intact");
    await service.start();
    expect(entry(/acknowledged pets are lost/)).toMatchObject({ level: 50, lost: { to: ids.at(-1) } });
    expect(await workplace.run(["database", "check", "--json"])).toMatchObject({
      code: 1,
      json: { intact: false },
    });
    const accepted = await workplace.run(["database", "check", "--accept-loss"]);
    expect(accepted).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/The loss of ids 50\d\d to 5010 is accepted/),
    });
    expect(await workplace.json("database", "check")).toMatchObject({ intact: true, lost: null });
    service.program.process.kill("SIGTERM");
    await service.program.end();
    await service.start();
    expect(await damagedMetric()).toBe("0");
  });

  const damages: Record<string, () => void> = {
    "overwritten with noise": () => damage(path(), 0.5, 8 * PAGE),
    "replaced by other pages of the file": () => copyPages(path(), 0.2, 0.5),
  };
  test.each(Object.entries(damages))(
    "pages that are %s are reported, and the other pets are served",
    async (_, harm) => {
      states(
        "docs/reliability.md",
        "Pages of the database are overwritten while the service is down | After an unclean stop the service reports it within 30 s, and serves the other pets.",
      );
      states(
        "docs/upgrading.md",
        "What it finds is in the log (level `error`) and in the metric `petstore_database_damaged`",
        "The service goes on serving what is intact",
      );
      await create();
      await service.program.kill();
      harm();

      await service.start();
      await eventually(() => entry(/the database is damaged/) !== undefined);
      expect(entry(/the database is damaged/)).toMatchObject({ level: 50 });
      expect(await damagedMetric()).toBe("1");
      expect((await service.get("/v1/pets?limit=10")).status).toBe(200);

      const { code, json } = await workplace.run(["database", "check", "--json"]);
      expect(code).toBe(1);
      expect(json).toMatchObject({ path: path(), intact: false, lost: null });
      expect(json.problems).not.toBeEmpty();
    },
  );

  test("an intact database is checked and found intact", async () => {
    states(
      "docs/monitoring.md",
      "`the last stop was unclean; the database is intact`",
      "`the last stop was unclean; the database is intact` | info | The check after `kill -9`, a crash or a loss of power found nothing;",
    );
    states(
      "docs/upgrading.md",
      "The service runs the same check by itself after an unclean stop (`kill -9`, a crash, a loss of power)",
    );
    await create();
    await service.program.kill();
    await service.start();
    await eventually(() => entry(/the last stop was unclean/) !== undefined);
    expect(entry(/the last stop was unclean/)).toMatchObject({ level: 30 });
    expect(await damagedMetric()).toBe("0");
    expect(await workplace.json("database", "check")).toMatchObject({
      intact: true,
      problems: [],
      lost: null,
    });
  });
});

test("after a stop there is no check", async () => {
  await create();
  service.program.process.kill("SIGTERM");
  await service.program.end();
  await service.start();
  await create();
  service.program.process.kill("SIGTERM");
  expect((await service.program.end()).stdout).not.toContain("unclean");
});

test("a check beside a service that adds pets finds nothing", async () => {
  states(
    "docs/upgrading.md",
    "It works while the service runs, takes a few seconds for a million pets, and exits with 1 if it finds anything.",
  );
  states("docs/upgrading.md", "It works while the service runs");
  let isOver = false;
  const creating = (async () => {
    while (!isOver) await create();
  })();
  const { stdout, code } = await workplace.run(["database", "check"]);
  isOver = true;
  await creating;
  expect(stdout).toMatch(/petstore\.db is intact \(\d+\.\d s\)\.\n$/);
  expect(code).toBe(0);
});

/** Copies eight pages of a file over others. `from` and `to`: where, as parts of its size. */
function copyPages(path: string, from: number, to: number): void {
  const pages = statSync(path).size / PAGE;
  const bytes = Buffer.alloc(8 * PAGE);
  const file = openSync(path, "r+");
  readSync(file, bytes, 0, bytes.length, Math.floor(pages * from) * PAGE);
  writeSync(file, bytes, 0, bytes.length, Math.floor(pages * to) * PAGE);
  closeSync(file);
}
