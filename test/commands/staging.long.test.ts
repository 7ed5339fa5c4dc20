import { describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { commandFor } from "../support/runtime.ts";
import { startService } from "../support/service.ts";
import { newStore } from "../support/store.ts";
import { temporaryDirectory } from "../support/temporary.ts";
import { SHOWN_PROGRAM, Workplace } from "./petstore.ts";

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

describe.each(["sqlite", "postgres"] as const)("a store on %s", (engine) => {
  test("is opened by the deployment that made it alone, by commands too", async () => {
    const store = await newStore(engine);
    const workplace = new Workplace({ store });
    const staging = { PETSTORE_DEPLOYMENT: "staging" };
    const create = ["keys", "create", "--name", "My app", "--plan", "free", "--json"];
    expect((await workplace.run([...create, "--create"], { env: staging })).json.key).toStartWith("pets_stag_");
    for (const args of [create, ["keys", "list"], ["pets", "export"], ["database", "migrate"]]) {
      const { code, stderr } = await workplace.run(args);
      expect({ args, code }).toEqual({ args, code: 1 });
      expect(stderr).toContain(
        "belongs to staging, and this is production. Set DATABASE_URL to a database of production, or PETSTORE_DEPLOYMENT to staging.",
      );
    }
    await expect(startService({ store })).rejects.toThrow("belongs to staging, and this is production");
    await (await startService({ store, env: staging })).remove();
  }, 60_000);
});

/** Addresses of this machine that no other test uses: the ports are the default ones. */
const LOOPBACK = "127.77.13.1";

test("production and staging run side by side from one directory, with no setting but PETSTORE_DEPLOYMENT", async () => {
  const directory = temporaryDirectory();
  const start = async (env: Record<string, string>) => {
    const address = { HOST: LOOPBACK, PETSTORE_ADMIN_HOST: LOOPBACK };
    const [program, ...options] = commandFor(MAIN);
    const child = spawn(program, [...options, "serve"], {
      cwd: directory,
      env: { PATH: process.env.PATH, ...address, ...env },
    });
    let output = "";
    for await (const part of child.stderr.setEncoding("utf8")) {
      output += part;
      if (output.includes("/docs")) break;
    }
    const secret = /pets_(live|stag)_\w+/.exec(output)?.[0] ?? output;
    const commands = [...output.matchAll(/^ {4}(.*petstore(?:\.js)? (?:keys|operators) .*)$/gm)].map(
      ([, line = ""]) => line,
    );
    return { child, secret, commands };
  };
  const [production, staging] = await Promise.all([start({}), start({ PETSTORE_DEPLOYMENT: "staging" })]);
  const get = (port: number, secret: string) =>
    fetch(`http://${LOOPBACK}:${port}/v1/pets`, { headers: { Authorization: `Bearer ${secret}` } });
  expect(production.secret).toStartWith("pets_live_");
  expect(staging.secret).toStartWith("pets_stag_");
  expect([(await get(8080, production.secret)).status, (await get(8090, staging.secret)).status]).toEqual([200, 200]);
  // Typed as they are printed, in a shell that has none of the settings.
  const type = async (line: string) => {
    const program = commandFor(MAIN).map((word) => `'${word}'`);
    const typed = line.replace(SHOWN_PROGRAM, program.join(" "));
    const child = spawn("sh", ["-c", typed], { cwd: directory, env: { PATH: process.env.PATH } });
    return text(child.stdout);
  };
  for (const [{ commands }, form] of [
    [production, /pets_live_|pets_oper_/],
    [staging, /pets_stag_|pets_oper_/],
  ] as const) {
    expect(commands).toHaveLength(2);
    for (const command of commands) expect(await type(command)).toMatch(form);
  }
  const signIn = async (port: number) => (await fetch(`http://${LOOPBACK}:${port}/console`)).text();
  expect(await signIn(8081)).toContain(`data-operator-command="${SHOWN_PROGRAM} operators create`);
  expect(await signIn(8091)).toContain(
    `data-operator-command="PETSTORE_DEPLOYMENT=staging ${SHOWN_PROGRAM} operators create`,
  );
  expect([(await get(8080, staging.secret)).status, (await get(8090, production.secret)).status]).toEqual([401, 401]);
  for (const port of [8081, 8091]) expect((await fetch(`http://${LOOPBACK}:${port}/console`)).status).toBe(200);
  expect(readdirSync(join(directory, "data"))).toEqual(expect.arrayContaining(["petstore.db", "petstore-staging.db"]));
  for (const { child } of [production, staging]) {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  }
  rmSync(directory, { recursive: true });
}, 60_000);
