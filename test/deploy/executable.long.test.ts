import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { runtimeCommand } from "../../bin/runtime.js";
import manifest from "../../package.json" with { type: "json" };
import { Guide } from "../../src/adapters/http/guide/guide.ts";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { freePort } from "../support/ports.ts";
import { startPostgres } from "../support/postgres.ts";
import { hasRedis, startRedis } from "../support/redis.ts";
import { temporaryDirectory } from "../support/temporary.ts";
import { isRunning, startWorkers } from "../support/workers.ts";

if (!hasRedis) console.log("skipped: the executable's workers need redis-server, which is not on this machine");

const BUILD = fileURLToPath(new URL("../../deploy/executables.ts", import.meta.url));
const PLATFORM = `${process.platform}-${process.arch}`;
const NAME = `petstore-${manifest.version}-${PLATFORM}`;

describe("the executable, alone in a directory and with an empty environment", () => {
  const directory = temporaryDirectory();
  const place = join(directory, "place");
  const petstore = join(place, "petstore");
  let env: Record<string, string> = {};
  let url = "";
  let admin = "";
  const run = (...args: string[]) => spawnSync(petstore, args, { cwd: place, env, encoding: "utf8" });
  beforeAll(async () => {
    const [bun = "", ...options] = runtimeCommand("bun");
    // What npm could download is not needed for this machine's platform.
    const offline = { ...process.env, npm_config_offline: "true" };
    const build = [...options, BUILD, PLATFORM, "--outdir", join(directory, "built")];
    expect(spawnSync(bun, build, { encoding: "utf8", env: offline })).toMatchObject({ status: 0, stderr: "" });
    mkdirSync(place);
    copyFileSync(join(directory, "built", NAME), petstore);
    // By default Bun reads this file.
    writeFileSync(join(place, ".env"), "PETSTORE_DEPLOYMENT=staging\nPETSTORE_LOG_LEVEL=silent\n");
    const [port, adminPort] = (await Promise.all([freePort(), freePort()])).map(String);
    env = {
      DATABASE_URL: `sqlite:${join(place, "petstore.db")}`,
      PORT: `${port}`,
      PETSTORE_ADMIN_PORT: `${adminPort}`,
    };
    url = `http://127.0.0.1:${port}`;
    admin = `http://127.0.0.1:${adminPort}`;
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test("prints its version", () => {
    expect(run("--version")).toMatchObject({ status: 0, stdout: `${manifest.version}\n`, stderr: "" });
  });

  test("reports that no service is running", () => {
    const { status, stderr } = run("health");
    expect(status).toBe(1);
    expect(stderr).toContain(`${url}/readyz does not answer`);
  });

  test("serves everything until SIGTERM, while its other commands work", async () => {
    states("docs/running.md", "It needs neither Node nor a network.");
    states("docs/running.md", "The executable is one file with the service, its console and its documentation.");
    const child = spawn(petstore, ["serve"], { cwd: place, env, stdio: ["ignore", "pipe", "pipe"] });
    const output = Promise.all([text(child.stdout), text(child.stderr)]);
    const ended = once(child, "exit");
    try {
      await eventually(() => run("health").status === 0);
      const { stdout, status } = run("keys", "create", "--name", "x", "--plan", "free", "--json");
      expect(status).toBe(0);
      const { key } = JSON.parse(stdout);
      expect(key).toStartWith("pets_live_");
      const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
      const pet = { name: "Rex", categoryId: 1, status: "available" };
      const created = await fetch(`${url}/v1/pets`, { method: "POST", headers, body: JSON.stringify(pet) });
      expect(created.status).toBe(201);
      expect(await (await fetch(`${url}/v1/pets`, { headers })).json()).toEqual([{ id: 1, ...pet }]);

      const guide = new Guide({
        deployment: "production",
        baseUrls: { production: `${url}/v1`, staging: "http://127.0.0.1:8090/v1" },
        command: "petstore",
        hasAccount: true,
        adminPort: () => Number(new URL(admin).port),
      });
      const data = String(guide.at("/docs/data")?.body);
      expect(data).toContain("petstore keys create");
      expect(data).not.toContain("npx --no petstore");
      for (const path of guide.paths) {
        expect(await (await fetch(url + path)).text()).toBe(String(guide.at(path)?.body));
      }
      const page = await (await fetch(`${admin}/console`)).text();
      const [program = ""] = page.match(/\/console\/assets\/[^"]+\.js/) ?? [];
      const served = await fetch(admin + program, { headers: { "Accept-Encoding": "br" } });
      expect(served.headers.get("Content-Encoding")).toBe("br");
      expect(await served.text()).toContain("Operator token");
      const [, command = ""] = /data-operator-command="(.*?)"/.exec(page) ?? [];
      const typed = command.replaceAll("&quot;", '"');
      expect(typed).toBe(`DATABASE_URL=${env.DATABASE_URL} ${petstore} operators create --name "You" --role admin`);
      const elsewhere = { cwd: "/", env: { PETSTORE_DEPLOYMENT: "" }, encoding: "utf8" } as const;
      expect(spawnSync("sh", ["-c", typed], elsewhere).stdout).toContain("pets_oper_");
      expect(await (await fetch(`${url}/openapi.json`)).json()).toMatchObject({ info: { version: "1.0.0" } });
    } finally {
      child.kill("SIGTERM");
    }
    const [code] = await ended;
    const [log, said] = await output;
    expect(code).toBe(0);
    expect(log).toContain('"msg":"stopped"');
    expect(said).toContain("Its first key");
    expect(said).toContain(
      `    DATABASE_URL=${env.DATABASE_URL} PORT=${env.PORT} ${petstore} keys create --name "My app" --plan free\n`,
    );
    expect(said).toContain(`Docs:       ${url}/docs\n`);
  });

  test.skipIf(!hasRedis)("serves with several workers, which are itself", async () => {
    const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
    try {
      const workers = await startWorkers([petstore], 2, { DATABASE_URL: postgres.url, REDIS_URL: redis.url });
      try {
        expect(new Set(workers.pids).size).toBe(2);
        const [secret] = await workers.firstKeys();
        const headers = { Authorization: `Bearer ${secret}` };
        expect((await fetch(`${workers.url}/v1/pets`, { headers })).status).toBe(200);
        expect(await workers.end("SIGTERM")).toBe(0);
        expect(workers.pids.filter(isRunning)).toEqual([]);
      } finally {
        await workers.remove();
      }
    } finally {
      await Promise.all([postgres.remove(), redis.remove()]);
    }
  });
});
