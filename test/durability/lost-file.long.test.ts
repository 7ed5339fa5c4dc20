import { describe, expect, test } from "bun:test";
import { copyFileSync, renameSync, rmSync } from "node:fs";
import { eventually } from "../support/eventually.ts";
import { useProgram } from "./use-program.ts";

const service = useProgram({ timeout: 60_000 });
const path = (ending?: string) => service.path(ending);
const create = async () => (await service.create()).status;
const statusOf = async (target: string) => (await service.get(target)).status;

describe("under a running service", () => {
  const losses: Record<string, () => void> = {
    deleted: () => rmSync(path()),
    "replaced by a copy": () => {
      copyFileSync(path(), path(".copy"));
      renameSync(path(".copy"), path());
    },
    "deprived of its log": () => rmSync(path("-wal")),
  };

  test.each(Object.entries(losses))("a file that is %s acknowledges no creation any more", async (_, lose) => {
    expect(await create()).toBe(201);
    lose();
    const statuses = new Set(await Promise.all(Array.from({ length: 500 }, create)));
    expect([...statuses]).toEqual([503]);
    expect(await statusOf("/readyz")).toBe(503);
    await eventually(async () => (await statusOf("/v1/pets")) === 503);
    expect(service.program.printed.stdout).toContain("was deleted or replaced while it is open");
  });

  test("a file that comes back is used again", async () => {
    renameSync(path(), path(".away"));
    expect(await create()).toBe(503);
    renameSync(path(".away"), path());
    expect(await create()).toBe(201);
    expect(await statusOf("/readyz")).toBe(200);
  });
});
