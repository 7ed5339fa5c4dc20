import { describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { useProgram } from "./use-program.ts";

const KEY = ["keys", "create", "--name", "another", "--plan", "pro"];

const service = useProgram({ timeout: 60_000 });
const path = (ending?: string) => service.path(ending);
const create = async () => (await service.create()).status;
const statusOf = async (target: string) => (await service.get(target)).status;
/** Adds pets. Returns the ids of those that are acknowledged. */
async function created(count: number): Promise<number[]> {
  const responses = await Promise.all(Array.from({ length: count }, () => service.create()));
  const acknowledged = responses.filter(({ status }) => status === 201);
  return Promise.all(acknowledged.map(async (response) => (await response.json()).id));
}

/** Puts a copy in the place of a file. */
function replaced(ending: string): void {
  copyFileSync(path(ending), path(".copy"));
  renameSync(path(".copy"), path(ending));
}

describe("under a running service", () => {
  const losses: Record<string, () => void> = {
    deleted: () => rmSync(path()),
    "replaced by a copy": () => replaced(""),
    "deprived of its log": () => rmSync(path("-wal")),
    "deprived of the index of its log": () => rmSync(path("-shm")),
    "deprived of its lock": () => rmSync(path(".lock")),
    "given another lock": () => replaced(".lock"),
    "deprived of its high-water mark": () => rmSync(path(".ids")),
    "given another high-water mark": () => replaced(".ids"),
  };

  test.each(Object.entries(losses))("a file that is %s acknowledges no creation any more", async (name, lose) => {
    states(
      "docs/reliability.md",
      "The file or its log was moved, deleted or replaced during the commit: the creation may be in the file that was open. If you put that one back, or it was only the log, the pet is there.",
      "One that got 503 was not added, because it was rolled back, but for two cases:",
    );
    states(
      "docs/reliability.md",
      "The database file, its log or the index of its log is deleted or replaced under the service",
      "No creation is acknowledged any more: 503, and `/readyz` is 503. Reads follow",
      "500 of 500 creations got 503",
    );
    states("docs/data.md", "The service notices, returns 503, and logs which file it is");
    expect(await create()).toBe(201);
    lose();
    const statuses = new Set(await Promise.all(Array.from({ length: 500 }, create)));
    expect([...statuses]).toEqual([503]);
    expect(await statusOf("/readyz")).toBe(503);
    await eventually(async () => (await statusOf("/v1/pets")) === 503);
    expect(service.program.printed.stdout).toContain("was deleted or replaced while it is open");
    const isData = ["deleted", "replaced by a copy", "deprived of its log"].includes(name);
    const remedy = isData ? "Stop the service, put the file back or restore a backup, and" : "Stop the service, and";
    expect(service.program.printed.stdout).toContain(`. ${remedy} start it again.`);
  });

  test("without the index no command makes another one, and the next start has all that was acknowledged", async () => {
    states(
      "docs/data.md",
      "Without `petstore.db-shm` the commands are refused until the stop: what they write could be lost.",
    );
    states(
      "docs/reliability.md",
      "Without the index, commands and new workers are refused, and the next start has everything that was acknowledged.",
    );
    states(
      "docs/upgrading.md",
      "A command or a worker says `was deleted or moved while a service uses it` | Someone deleted `petstore.db-shm` under the service.",
      "A command or a worker says `was deleted or moved while a service uses it` | Someone deleted `petstore.db-shm` under the service. | Stop the service and start it: nothing is lost.",
    );
    states("docs/data.md", "Without `petstore.db-shm` the commands are refused until the stop");
    const acknowledged = await created(20);
    rmSync(path("-shm"));
    const refusals = await Promise.all(
      [KEY, ["database", "backup", path(".backup")], ["database", "check"]].map((command) =>
        service.workplace.run(command),
      ),
    );
    for (const { code, stderr } of refusals) {
      expect(code).toBe(1);
      expect(stderr).toContain("petstore.db-shm was deleted or moved while a service uses it");
    }
    expect(existsSync(path("-shm"))).toBe(false);
    expect(await created(20)).toEqual([]);
    service.program.process.kill("SIGTERM");
    expect(await service.program.end()).toMatchObject({ code: 0, signal: null });

    await service.start();
    expect(await service.workplace.json("database", "check")).toMatchObject({ intact: true });
    const pets: { id: number }[] = await (await service.get("/v1/pets?limit=100")).json();
    expect(pets.map(({ id }) => id)).toEqual(acknowledged.toSorted((a, b) => a - b));
  });

  /** What docs/data.md says of files that were deleted under a service. */
  const [, made = ""] =
    /((?:`petstore\.db[.-]\w+`[, and]*\n?)+)\s*need not be put back: the start makes them/.exec(
      readFileSync(join(import.meta.dir, "../../docs/data.md"), "utf8"),
    ) ?? [];
  const endings = [...made.matchAll(/`petstore\.db([.-]\w+)`/g)].map(([, ending = ""]) => ending);

  test("the next start makes the files that need not be put back, and has all that was acknowledged", async () => {
    states(
      "docs/data.md",
      "The service notices, returns 503, and logs which file it is: stop it, put the file back or restore a backup, and start it again.",
    );
    states(
      "docs/data.md",
      "`petstore.db.lock`, `petstore.db.ids` and `petstore.db-shm` need not be put back: the start makes them.",
    );
    expect(endings.toSorted()).toEqual(["-shm", ".ids", ".lock"]);
    const acknowledged = await created(20);
    for (const ending of endings) rmSync(path(ending));
    service.program.process.kill("SIGTERM");
    expect(await service.program.end()).toMatchObject({ code: 0, signal: null });
    await service.start();
    const pets: { id: number }[] = await (await service.get("/v1/pets?limit=100")).json();
    expect(pets.map(({ id }) => id)).toEqual(acknowledged.toSorted((a, b) => a - b));
    expect(await create()).toBe(201);
  });

  test("reads alone notice within seconds that a file is deleted", async () => {
    expect(await statusOf("/v1/pets")).toBe(200);
    rmSync(path());
    await eventually(async () => (await statusOf("/v1/pets")) === 503);
  });

  test("a file that comes back is used again", async () => {
    states(
      "docs/upgrading.md",
      "Someone replaced the file under the service. | Stop the service, put the files back or restore a backup, start it.",
    );
    states("docs/reliability.md", "The service recovers when the files are back.");
    renameSync(path(), path(".away"));
    expect(await create()).toBe(503);
    renameSync(path(".away"), path());
    expect(await create()).toBe(201);
    expect(await statusOf("/readyz")).toBe(200);
  });
});

test("a high-water mark that cannot be read is named at the start and by the check, and pets are added nevertheless", async () => {
  states(
    "docs/upgrading.md",
    "A file that cannot be read, such as an empty one or another file in its place, shows no loss: the start and `database check` name it",
  );
  await created(3);
  await service.program.kill();
  writeFileSync(path(".ids"), "garbage\n");
  await service.start();
  const words = `${path(".ids")} is damaged: whether acknowledged pets are lost is not known`;
  await eventually(() => service.program.printed.stdout.includes(words));
  const check = await service.workplace.run(["database", "check"]);
  expect([check.code, check.stdout]).toEqual([1, expect.stringContaining(words)]);
  expect(check.stdout).toContain("or accept the loss with --accept-loss.");
  expect(await created(1)).toHaveLength(1);
});

test("a high-water mark that cannot be read is reported by the check until that is accepted", async () => {
  await created(3);
  await service.program.kill();
  writeFileSync(path(".ids"), "garbage\n");
  const check = (...options: string[]) => service.workplace.run(["database", "check", "--json", ...options]);
  const damagedMark = path(".ids");
  for (let times = 0; times < 2; times++)
    expect(await check()).toMatchObject({ code: 1, json: { intact: false, problems: [], lost: null, damagedMark } });
  expect(await check("--accept-loss")).toMatchObject({ code: 0, json: { intact: true, damagedMark } });
  expect(await check()).toMatchObject({ code: 0, json: { intact: true, lost: null, damagedMark: null } });
  await service.start();
  expect(await created(1)).toEqual([4]);
});
