import { describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { states } from "../support/markdown.ts";
import { commandFor } from "../support/runtime.ts";
import { startService } from "../support/service.ts";
import { newStore } from "../support/store.ts";
import { temporaryDirectory } from "../support/temporary.ts";
import { SHOWN_PROGRAM, Workplace } from "./petstore.ts";

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

describe.each(["sqlite", "postgres"] as const)("a store on %s", (engine) => {
  test("is opened by the deployment that made it alone, by commands too", async () => {
    states(
      "docs/upgrading.md",
      "`… belongs to production, and this is staging` | `DATABASE_URL` names the other deployment's database.",
      "`… belongs to production, and this is staging` | `DATABASE_URL` names the other deployment's database. | Correct `DATABASE_URL` or `PETSTORE_DEPLOYMENT`.",
    );
    states(
      "docs/settings.md",
      "Each deployment has its own keys and data: a database belongs to the one that created it, and the other refuses to open it.",
    );
    states(
      "docs/running.md",
      "A database belongs to the deployment that created it, and the other deployment refuses to open it.",
    );
    const store = await newStore(engine, "staging");
    const workplace = new Workplace({ store });
    const staging = { PETSTORE_DEPLOYMENT: "staging" };
    const create = ["keys", "create", "--name", "My app", "--plan", "free", "--json"];
    expect((await workplace.run([...create, "--create"], { env: staging })).json.key).toStartWith("pets_stag_");
    const env = { ...staging, PETSTORE_STAGING_BASE_URL: "https://staging.example.com/v1" };
    const [{ id }] = (await workplace.run(["keys", "list", "--json"], { env })).json;
    expect((await workplace.run(["keys", "rotate", id], { env })).stdout).toContain(
      "https://staging.example.com/v1/pets",
    );
    for (const args of [create, ["keys", "list"], ["pets", "export"], ["database", "migrate"]]) {
      const { code, stderr } = await workplace.run(args);
      expect({ args, code }).toEqual({ args, code: 1 });
      expect(stderr).toContain(
        "belongs to staging, and this is production. Set DATABASE_URL to a database of production, or PETSTORE_DEPLOYMENT to staging.",
      );
    }
    await expect(startService({ store })).rejects.toThrow("belongs to staging, and this is production");
    await (await startService({ store, env: staging })).remove();
  });
});

/** Addresses of this machine that no other test uses: the ports are the default ones. */
const LOOPBACK = "127.77.13.1";

/** A directory with stores of its own, where a command acts that names no database. */
async function directoryWithStores(): Promise<string> {
  const directory = temporaryDirectory();
  const [program, ...options] = commandFor(MAIN);
  for (const PETSTORE_DEPLOYMENT of ["production", "staging"]) {
    const args = [...options, "database", "migrate", "--create"];
    const child = spawn(program, args, { cwd: directory, env: { PATH: process.env.PATH, PETSTORE_DEPLOYMENT } });
    expect(await once(child, "exit")).toEqual([0, null]);
  }
  return directory;
}

/** What a command prints that is typed as it was printed, in a shell that has none of the settings. */
async function typed(line: string, cwd: string, PATH = process.env.PATH): Promise<string> {
  const program = commandFor(MAIN).map((word) => `'${word}'`);
  const child = spawn("sh", ["-c", line.replace(SHOWN_PROGRAM, program.join(" "))], { cwd, env: { PATH } });
  return text(child.stdout);
}

/** Calls the service with the command of curl that was printed with a new key. */
async function callAsPrinted(printed = ""): Promise<void> {
  const [, secret = "", url = printed] = /curl -H "Authorization: Bearer (\S+)" '?([^\s']+)/.exec(printed) ?? [];
  expect((await fetch(url, { headers: { Authorization: `Bearer ${secret}` } })).status).toBe(200);
}

/** The status of a request with the token that was printed for a new operator. */
async function statusWithToken(printed: string, url: string): Promise<number> {
  const headers = { Authorization: `Bearer ${/pets_oper_\w+/.exec(printed)?.[0]}` };
  return (await fetch(`${url}/admin/v1/session`, { headers })).status;
}

function unescaped(html: string): string {
  return html.replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}

test.each([
  ["production", {}],
  ["staging", { PETSTORE_DEPLOYMENT: "staging" }],
])("what %s prints where `petstore` is on the PATH acts on its store and port, from any directory", async (_, env) => {
  states(
    "docs/commands.md",
    "What the service and the commands print names commands as you run them, with the settings that they need: typed in any directory, they act on the store that printed them.",
  );
  const [directory, elsewhere, bin] = [temporaryDirectory(), await directoryWithStores(), temporaryDirectory()];
  symlinkSync(fileURLToPath(new URL("../../bin/petstore.js", import.meta.url)), join(bin, "petstore"));
  const PATH = `${bin}:${process.env.PATH}`;
  const child = spawn(join(bin, "petstore"), ["serve", "--port", "0", "--host", "::1"], {
    cwd: directory,
    env: { PATH, PETSTORE_ADMIN_PORT: "0", ...env },
  });
  try {
    let output = "";
    for await (const part of child.stderr.setEncoding("utf8")) {
      output += part;
      if (output.includes("/docs")) break;
    }
    const commands = [...output.matchAll(/^ {4}(.*petstore (?:keys|operators) .*)$/gm)].map(([, line = ""]) => line);
    const [key, token = ""] = await Promise.all(commands.map((line) => typed(line, elsewhere, PATH)));
    expect(key).toMatch(/ 'http:\/\/\[::1\]:[1-9]\d*\/v1\/pets'\n/);
    await callAsPrinted(key);
    const [, console = ""] = /Console: +(http:\S+)\/console/.exec(output) ?? [];
    expect(await statusWithToken(token, console)).toBe(200);
  } finally {
    child.kill("SIGTERM");
    await once(child, "exit");
  }
});

test("production and staging run side by side from one directory, with no setting but PETSTORE_DEPLOYMENT", async () => {
  const directory = temporaryDirectory();
  // Also after a failure: services that go on would keep the ports from the next run.
  await using running = new AsyncDisposableStack();
  running.defer(() => rmSync(directory, { recursive: true }));
  const start = async (env: Record<string, string>) => {
    const address = { HOST: LOOPBACK, PETSTORE_ADMIN_HOST: LOOPBACK };
    const [program, ...options] = commandFor(MAIN);
    const child = spawn(program, [...options, "serve"], {
      cwd: directory,
      env: { PATH: process.env.PATH, ...address, ...env },
    });
    const ended = once(child, "exit");
    running.defer(async () => {
      child.kill("SIGTERM");
      await ended;
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
    return { secret, commands };
  };
  const [production, staging] = await Promise.all([start({}), start({ PETSTORE_DEPLOYMENT: "staging" })]);
  const get = (port: number, secret: string) =>
    fetch(`http://${LOOPBACK}:${port}/v1/pets`, { headers: { Authorization: `Bearer ${secret}` } });
  expect(production.secret).toStartWith("pets_live_");
  expect(staging.secret).toStartWith("pets_stag_");
  expect([(await get(8080, production.secret)).status, (await get(8090, staging.secret)).status]).toEqual([200, 200]);
  const elsewhere = await directoryWithStores();
  for (const [{ commands }, port, adminPort] of [
    [production, 8080, 8081],
    [staging, 8090, 8091],
  ] as const) {
    const page = await (await fetch(`http://${LOOPBACK}:${adminPort}/console`)).text();
    const [, onPage = ""] = /data-operator-command="([^"]+)"/.exec(page) ?? [];
    expect(commands).toHaveLength(2);
    const [key, ...tokens] = await Promise.all([...commands, unescaped(onPage)].map((line) => typed(line, elsewhere)));
    await callAsPrinted(key);
    expect(key).toContain(` http://${LOOPBACK}:${port}/v1/pets\n`);
    for (const said of tokens) expect(await statusWithToken(said, `http://${LOOPBACK}:${adminPort}`)).toBe(200);
  }
  expect([(await get(8080, staging.secret)).status, (await get(8090, production.secret)).status]).toEqual([401, 401]);
  for (const port of [8081, 8091]) expect((await fetch(`http://${LOOPBACK}:${port}/console`)).status).toBe(200);
  expect(readdirSync(join(directory, "data"))).toEqual(expect.arrayContaining(["petstore.db", "petstore-staging.db"]));
});
