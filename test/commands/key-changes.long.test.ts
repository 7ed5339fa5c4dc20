import { describe, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { freePort } from "../support/ports.ts";
import { hasRedis, startRedis } from "../support/redis.ts";
import { useKeys } from "./use-keys.ts";

const { service, petstore, create, refusalOf } = useKeys();

test("a rotation prints when the old secret ends", async () => {
  const rotate = async (id: string, ...options: string[]) =>
    (await petstore.run(["keys", "rotate", id, ...options])).stdout;
  const { id } = await create();
  const before = Date.now();
  const [, end = ""] = /^ {2}The old secret works until (.*)\.$/m.exec(await rotate(id, "--grace", "1h")) ?? [];
  expect(Date.parse(end)).toBeWithin(before + 3_599_000, Date.now() + 3_600_000);
  const rotated = Date.now();
  const [, byDefault = ""] = /^ {2}The old secret works until (.*)\.$/m.exec(await rotate(id)) ?? [];
  expect(Date.parse(byDefault)).toBeWithin(rotated + 86_399_000, Date.now() + 86_400_001);
  expect(await rotate(id, "--grace", "0s")).toContain("\n  The old secret no longer works.\n");
  const short = await create("--expires", "1h");
  expect(await rotate(short.id)).toContain(
    `The old secret works until ${short.expiresAt.replace("T", " ").replace(/\.\d+/, "")}.`,
  );
});

test("rename, set-scopes, disable, enable and end-grace apply immediately", async () => {
  states("docs/administration.md", "Commands change only the fields that they name.");
  states(
    "docs/data.md",
    "Disabling is for a while and can be undone: the key is refused as `disabled_api_key`.",
    "`keys end-grace` ends the grace period of an earlier rotation.",
  );
  const { id, key } = await create();
  expect(await petstore.json("keys", "rename", id, "Renamed")).toMatchObject({ id, name: "Renamed" });
  expect(await petstore.json("keys", "set-scopes", id, "pets:write")).toMatchObject({ scopes: ["pets:write"] });
  expect(await refusalOf(key)).toBe("insufficient_scope");
  expect(await petstore.json("keys", "disable", id)).toMatchObject({ state: "disabled" });
  expect(await refusalOf(key)).toBe("disabled_api_key");
  expect(await petstore.json("keys", "enable", id)).toMatchObject({ state: "active", disabledAt: null });
  await petstore.json("keys", "rotate", id);
  expect((await petstore.json("keys", "show", id)).earlierSecrets).toHaveLength(1);
  expect(await petstore.json("keys", "end-grace", id)).toMatchObject({ earlierSecrets: [] });
  expect(await refusalOf(key)).toBe("expired_api_key");
  const { code, stderr } = await petstore.run(["keys", "end-grace", id]);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `petstore: Key ${id} has no earlier secret that still works.\n`,
  });
});

test("list and show report a ban, and unban lifts it", async () => {
  states(
    "docs/running.md",
    "`keys unban` clears what happened before the time of the machine that runs it.",
    "Commands do not compare: run them on a machine whose clock is right.",
  );
  const limits = ["--plan", "enterprise", "--per-minute", "1", "--per-day", "1000"];
  const { id, key } = await petstore.json("keys", "create", "--name", "Greedy", ...limits);
  const client = service.withSecret(key);
  // The command has a clock of its own: the ban has to lie in its past.
  await service.setClock(Date.now() - 10_000);
  await client.spend(2);
  await service.advance({ seconds: 2 });
  expect((await client.spend(100)).body.code).toBe("key_banned");
  await eventually(async () => (await petstore.json("keys", "show", id)).state === "banned");
  const { bannedUntil } = (await petstore.json("keys", "show", id)).usage;
  const [, day, minute, second] = /^(.+)T(..:..)(:..)/.exec(bannedUntil) ?? [];
  expect((await petstore.run(["keys", "list"])).stdout).toMatch(
    new RegExp(`${id} +Greedy +enterprise +banned until ${minute}Z +\\d{4}-\\d\\d-\\d\\d\n`),
  );
  const { stdout } = await petstore.run(["keys", "show", id]);
  expect(stdout).toMatch(new RegExp(`^status +banned until ${day} ${minute}${second}Z$`, "m"));

  expect(await petstore.json("keys", "unban", id)).toMatchObject({
    state: "active",
    usage: { strikes: 0, bannedUntil: null },
  });
  expect((await client.get("/v1/pets")).body.code).toBe("rate_limit_exceeded");
});

test.each(["show", "rotate", "revoke", "set-plan"])("%s of a key that does not exist fails", async (name) => {
  const plan = name === "set-plan" ? ["--plan", "pro"] : [];
  const { code, stderr } = await petstore.run(["keys", name, "key_nobody", ...plan]);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `petstore: There is no key key_nobody. ${petstore.shown("keys list")} shows all keys.\n`,
  });
});

test("what only needs the id of a key says what is then true of it", async () => {
  const { id, name } = await create();
  await petstore.json("keys", "rotate", id);
  const saying = async (verb: string) => (await petstore.run(["keys", verb, id])).stdout;
  expect(await saying("end-grace")).toBe(`Key ${id}, "${name}", has no earlier secret that works any more.\n`);
  expect(await saying("unban")).toBe(`Key ${id}, "${name}", has no ban any more, and its strikes are cleared.\n`);
  expect(await saying("revoke")).toBe(`Key ${id}, "${name}", is revoked.\n`);
  const revokedAt = String((await petstore.json("keys", "show", id)).revokedAt)
    .replace("T", " ")
    .slice(0, 19);
  expect(await saying("revoke")).toBe(`Key ${id}, "${name}", was revoked at ${revokedAt}Z.\n`);
});

describe.each(["redis://", "redis+cluster://", "redis+sentinel://"])("while no server of %s answers", (scheme) => {
  const run = async (...args: string[]) => {
    const env = { REDIS_URL: `${scheme}127.0.0.1:${await freePort()}/pets` };
    return petstore.run(args, { env });
  };
  const UNKNOWN =
    /^petstore: the Redis server in REDIS_URL fails, so counted requests and bans are unknown. Reason: .+\n$/;

  test("a key is revoked as usual", async () => {
    const { id, key, name } = await create();
    const { code, stdout, stderr } = await run("keys", "revoke", id);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `Key ${id}, "${name}", is revoked.\n`, stderr: "" });
    expect(await refusalOf(key)).toBe("revoked_api_key");
  });

  test("commands that show limits give the rest, and say once that limits are unknown", async () => {
    states(
      "docs/data.md",
      "`keys list` and `keys show` then warn after two seconds, and show counts and bans as unknown; with `--json`, `usage` is `null`.",
    );
    const { id } = await create();
    await create();
    const [listed, shown, unbanned] = await Promise.all([
      run("keys", "list"),
      run("keys", "show", id),
      run("keys", "unban", id, "--json"),
    ]);
    for (const { code, stderr } of [listed, shown, unbanned]) {
      expect(code).toBe(0);
      expect(stderr).toMatch(UNKNOWN);
    }
    expect(listed.stdout).toMatch(new RegExp(`${id} +My app +free +active or banned +never\n`));
    for (const line of ["status +active or banned", "minute +unknown", "day +unknown"]) {
      expect(shown.stdout).toMatch(new RegExp(`^${line}$`, "m"));
    }
    expect(unbanned.json).toMatchObject({ id, usage: null });
  });
});

test.skipIf(!hasRedis)("commands that show limits read them in Redis, and end", async () => {
  const { id } = await create();
  const redis = await startRedis();
  try {
    const env = { REDIS_URL: redis.url };
    for (const args of [
      ["keys", "show", id],
      ["keys", "list"],
      ["keys", "unban", id, "--json"],
    ]) {
      const { code, stderr } = await petstore.run(args, { env });
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    }
    expect((await petstore.run(["keys", "show", id], { env })).stdout).toMatch(/^minute +0 of 60 requests used$/m);
  } finally {
    await redis.remove();
  }
});

describe.skipIf(!hasRedis)("while Redis hangs", () => {
  test("commands wait for it only if they show limits, and not for long", async () => {
    states("docs/data.md", "All these commands work while Redis is away.");
    const { id } = await create();
    const redis = await startRedis();
    redis.freeze();
    try {
      const env = { REDIS_URL: redis.url };
      const shown = await petstore.run(["keys", "show", id], { env });
      expect(shown.code).toBe(0);
      expect(shown.stdout).toMatch(/^minute +unknown$/m);
      expect(shown.stderr).toEndWith("Reason: Command timed out\n");
      const others = ["pets list", "audit", "usage", "requests list", "operators list", `keys disable ${id}`];
      for (const { code, stderr } of await Promise.all(others.map((one) => petstore.run(one.split(" "), { env })))) {
        expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      }
    } finally {
      await redis.remove();
    }
  });
});
