import { afterAll, beforeAll, expect, test } from "bun:test";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { runtimeEnvironment } from "../../bin/runtime.js";
import { openApiDocument } from "../../src/adapters/http/document.ts";
import { toJson } from "../../src/domain/json.ts";
import { readConfig } from "../../src/wiring/config.ts";
import { BASE_URL } from "../support/client.ts";
import { states } from "../support/markdown.ts";
import { commandFor, MAIN } from "../support/runtime.ts";
import { startService } from "../support/service.ts";
import { temporaryDirectory } from "../support/temporary.ts";
import { SHOWN_PROGRAM, shownCommand, startPetstore, Workplace } from "./petstore.ts";

let petstore: Workplace;
beforeAll(() => {
  petstore = new Workplace();
});
afterAll(() => petstore.remove());

test("--version is the package's", async () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(await petstore.run(["--version"])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: "" });
});

test("the launcher passes on arguments, output and exit code", () => {
  const launched = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync("node", ["bin/petstore.js", ...args], { encoding: "utf8" });
    return { status, stdout, stderr };
  };
  expect(launched("keys", "--help")).toMatchObject({ status: 0, stdout: expect.stringContaining("petstore keys") });
  expect(launched("kyes")).toEqual({ status: 2, stdout: "", stderr: expect.stringContaining("unknown command") });
});

test("the launcher refuses a runtime that it does not know, and exits 1", () => {
  const env = { PATH: process.env.PATH, PETSTORE_RUNTIME: "deno" };
  const { status, stdout, stderr } = spawnSync("node", ["bin/petstore.js", "--version"], { encoding: "utf8", env });
  expect({ status, stdout, stderr }).toEqual({
    ...{ status: 1, stdout: "" },
    stderr: "PETSTORE_RUNTIME must be bun or node, not deno.\n",
  });
});

test.skipIf(!existsSync("/dev/full"))("a command whose output cannot be written says so, and exits 1", () => {
  const [program, ...args] = commandFor(MAIN);
  const full = openSync("/dev/full", "w");
  const { status, stderr } = spawnSync(program, [...args, "--help"], {
    stdio: ["ignore", full, "pipe"],
    encoding: "utf8",
    env: { PATH: process.env.PATH },
  });
  closeSync(full);
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^petstore: standard output cannot be written: /)]);
});

test("the launcher ends by the signal that ended the command, as a shell expects", async () => {
  // The command waits for the database, and does not know SIGTERM.
  await using database = createServer().listen(0, "127.0.0.1");
  await once(database, "listening");
  const { port } = database.address() as AddressInfo;
  const env = { ...process.env, npm_lifecycle_event: "start", DATABASE_URL: `postgres://127.0.0.1:${port}/petstore` };
  const launcher = spawn("node", ["bin/petstore.js", "keys", "list"], { stdio: "ignore", env });
  const ended = once(launcher, "exit");
  const [connection] = await once(database, "connection");
  launcher.kill("SIGTERM");
  const outcome = await ended;
  connection.destroy();
  expect(outcome).toEqual([null, "SIGTERM"]);
});

test("the launcher sets how far the heap grows, unless the environment says otherwise", () => {
  const options = (growth: Record<string, string>) => {
    const env = { PATH: process.env.PATH, BUN_JSC_dumpOptions: "1", PETSTORE_RUNTIME: "bun", ...growth };
    return spawnSync("node", ["bin/petstore.js", "--version"], { encoding: "utf8", env }).stderr;
  };
  const own = options({});
  for (const [name, value] of Object.entries(runtimeEnvironment)) {
    expect(own).toContain(`${name.replace("BUN_JSC_", "")}=${value} `);
  }
  expect(options({ BUN_JSC_heapGrowthMaxIncrease: "0.5" })).toContain("heapGrowthMaxIncrease=0.5 ");
});

test("the launcher starts the Bun that runs here, where those for glibc and for musl are installed", () => {
  states("docs/running.md", "Runtime. Bun runs the service unless `PETSTORE_RUNTIME=node`.");
  const root = realpathSync(temporaryDirectory());
  cpSync("bin", join(root, "bin"), { recursive: true });
  const [musl = "", glibc = ""] = ["musl", "glibc"].map((name) =>
    join(root, "node_modules/@oven", `bun-${name}`, "bin/bun"),
  );
  for (const path of [musl, glibc]) mkdirSync(dirname(path), { recursive: true });
  writeFileSync(musl, "#!/lib/no-such-loader.so\n", { mode: 0o755 });
  symlinkSync(process.execPath, glibc);
  const optionalDependencies = { "@oven/bun-musl": "1", "@oven/bun-glibc": "1" };
  writeFileSync(join(root, "package.json"), JSON.stringify({ type: "module", optionalDependencies }));
  const program = `import("${join(root, "bin/runtime.js")}").then(({ runtimeCommand }) => console.log(runtimeCommand()[0]))`;
  const started = () => spawnSync("node", ["--eval", program], { encoding: "utf8" });
  expect(started()).toMatchObject({ stdout: `${glibc}\n` });
  // Of a checkout the package `bun` has the same dependencies, and has moved the program over a placeholder, or not.
  const [bun, own] = [join(root, "node_modules/bun"), join(root, "node_modules/bun/bin/bun.exe")];
  writeFileSync(join(root, "package.json"), JSON.stringify({ type: "module" }));
  mkdirSync(dirname(own), { recursive: true });
  writeFileSync(join(bun, "package.json"), JSON.stringify({ optionalDependencies }));
  writeFileSync(own, "#!/bin/sh\necho run the install script\n");
  expect(started()).toMatchObject({ stdout: `${glibc}\n` });
  truncateSync(own, 50_000_000);
  expect(started()).toMatchObject({ stdout: `${own}\n` });
  rmSync(bun, { recursive: true });
  expect(started()).toMatchObject({ status: 1, stderr: expect.stringContaining("Bun is missing. Run npm install.") });
  rmSync(root, { recursive: true });
});

test("--help is printed on standard output", async () => {
  states("docs/commands.md", "Each command has its own `--help`.");
  const { code, stdout, stderr } = await petstore.run(["keys", "create", "--help"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toStartWith("Usage: petstore keys create [options]");
});

test("a wrong argument is reported on standard error, and exits 2", async () => {
  states("docs/commands.md", "one with a wrong argument with 2.");
  const { code, stdout, stderr } = await petstore.run(["keys", "create", "--name", "x", "--plan", "gold"]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain("Allowed choices are free, pro, business, enterprise.");
});

test("all configuration errors are reported together", async () => {
  states("docs/commands.md", "A command that fails exits with 1");
  states("docs/settings.md", "A start reports all errors together.");
  const { code, stderr } = await petstore.run(["keys", "list"], { env: { DATABASE_URL: "mysql:x", PORT: "x" } });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^petstore cannot start:\n {2}PORT must be .*\n {2}DATABASE_URL must be .*\n$/);
});

test("a misspelt variable is reported with the closest one, and without its value", async () => {
  states(
    "CHANGELOG.md",
    "The commands and `serve` warn about variables of the environment whose names are almost those of a setting.",
  );
  states("docs/settings.md", "A `PETSTORE_` variable whose name is almost that of a setting causes a warning.");
  const env = { PETSTORE_DEPLOYMNET: "staging-secret", PETSTORE_API_KEY: "pets_live_x" };
  const { code, stdout, stderr } = await petstore.run(["openapi"], { env });
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: "petstore: PETSTORE_DEPLOYMNET is not a setting. Did you mean PETSTORE_DEPLOYMENT?\n",
  });
  expect(stdout).toBe((await petstore.run(["openapi"])).stdout);
});

test("a command that needs a database does not create one", async () => {
  states(
    "docs/data.md",
    "A command does not create a database that is missing: start the service once, run `petstore database migrate`, or add `--create` to `keys create`, `operators create` or `pets import`.",
  );
  states(
    "docs/data.md",
    "A command does not create a database that is missing: start the service once, run `petstore database migrate`",
  );
  for (const args of [
    ["keys", "list"],
    ["pets", "export"],
    ["usage"],
    ["audit"],
    ["keys", "create", "--name", "My app", "--plan", "free"],
    ["operators", "create", "--name", "Ada", "--role", "admin"],
    ["pets", "import", "-", "--format", "csv"],
  ]) {
    const { code, stderr } = await petstore.run(args);
    expect(code).toBe(1);
    expect(stderr).toContain("There is no database");
    expect(stderr).toContain(`Create it with ${petstore.shown("database migrate")}`);
  }
  expect(readdirSync(petstore.directory)).toEqual([]);
});

test("a database that is missing is named by its absolute path", async () => {
  states("docs/commands.md", "Commands act on the database that `DATABASE_URL` names");
  const { stderr } = await petstore.run(["keys", "list"], { env: { DATABASE_URL: "sqlite:data/petstore.db" } });
  expect(stderr).toStartWith(`petstore: There is no database ${petstore.path("data/petstore.db")}. `);
});

test("a file that is not a database is named and not changed", async () => {
  const path = petstore.path("notes.txt");
  const notes = "These are my notes. ".repeat(300);
  writeFileSync(path, notes);
  const { code, stderr } = await petstore.run(["keys", "list"], { env: { DATABASE_URL: `sqlite:${path}` } });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `petstore: ${path} cannot be used: file is not a database. Set DATABASE_URL to a Petstore database. If it was one, it is damaged. Restore a backup that is intact with ${shownCommand("database restore", `sqlite:${path}`)}.\n`,
  });
  expect(readFileSync(path, "utf8")).toBe(notes);
});

test("openapi prints the document that the service returns at /openapi.json", async () => {
  states("docs/commands.md", "`petstore openapi` | Prints the OpenAPI document.");
  await using service = await startService();
  const answer = await fetch(`${service.url}/openapi.json`);
  const { json } = await petstore.run(["openapi"]);
  expect(json).toEqual(await answer.json());
  const onStaging = (await petstore.run(["openapi"], { env: { PETSTORE_DEPLOYMENT: "staging" } })).json;
  const { baseUrls } = readConfig({ PETSTORE_BASE_URL: BASE_URL });
  expect(onStaging).toEqual(JSON.parse(toJson(openApiDocument(baseUrls, "staging"))));
  expect(onStaging).not.toEqual(json);
});

test("openapi --output writes the same to a file", async () => {
  expect(await petstore.run(["openapi", "--output", "openapi.json"])).toMatchObject({
    code: 0,
    stdout: "",
    stderr: "",
  });
  expect(readFileSync(petstore.path("openapi.json"), "utf8")).toBe((await petstore.run(["openapi"])).stdout);
});

test.each([
  [["serve", "--admin-port", "9000"], "PETSTORE_ADMIN_PORT"],
  [["serve", "--redis=redis://x"], "REDIS_URL"],
  [["keys", "list", "--database", "sqlite:x.db"], "DATABASE_URL"],
  [["demo", "--log_level", "debug"], "PETSTORE_LOG_LEVEL"],
  [["openapi", "--traces-sampler", "x"], "OTEL_TRACES_SAMPLER"],
  [["serve", "--adminPort", "9000"], "PETSTORE_ADMIN_PORT"],
  [["serve", "--staging"], "PETSTORE_DEPLOYMENT=staging"],
  [["keys", "list", "--db", "x.db"], "DATABASE_URL"],
  [["health", "-p", "9000"], "PORT"],
  [["demo", "--host", "::"], "HOST"],
])("%p is refused, and names its variable", async (args, variable) => {
  const { code, stderr } = await petstore.run(args);
  expect(code).toBe(2);
  expect(stderr).toContain(`It is a setting: set ${variable} in the environment.\n`);
});

test.each([
  [["serve", "-p", "9000"], "(Did you mean --port?)"],
  [["serve", "--db", "sqlite:x.db"], "(Did you mean --database?)"],
  [["serve", "--prot", "9000"], "(Did you mean --port?)"],
  [["demo", "--database", "x"], "A demo ignores the setting DATABASE_URL."],
  [["demo", "--production"], "A demo ignores the setting PETSTORE_DEPLOYMENT."],
])("%p is refused with what was meant", async (args, hint) => {
  const option = args.find((word) => word.startsWith("-"));
  const { code, stderr } = await petstore.run(args);
  expect([code, stderr]).toEqual([2, `error: unknown option '${option}'\n${hint}\n(see --help)\n`]);
});

test("an unknown option that is no setting names none", async () => {
  const { code, stderr } = await petstore.run(["serve", "--colour"]);
  expect([code, stderr]).toEqual([2, "error: unknown option '--colour'\n(see --help)\n"]);
});

test("serve takes its port, host and database as options, as its settings say, and commands that it prints have them too", async () => {
  states("docs/commands.md", "`--port`, `--host` and `--database` take the place of their settings.");
  states(
    "docs/settings.md",
    "`petstore serve` takes `--port`, `--host` and `--database` in the place of three of them.",
    "Address to listen on.",
  );
  const env = {
    PETSTORE_BASE_URL: "",
    HOST: "127.0.0.9",
    PORT: "1",
    PETSTORE_ADMIN_PORT: "0",
    DATABASE_URL: "sqlite:other.db",
  };
  const database = `sqlite:${petstore.path("options.db")}`;
  const args = ["serve", "--port", "0", "--host", "127.0.0.1", "--database", database];
  const child = startPetstore(petstore.store, args, env);
  const exited = once(child, "exit");
  const log = text(child.stdout);
  let printed = "";
  for await (const part of child.stderr.setEncoding("utf8")) {
    printed += part;
    if (printed.includes("/docs")) break;
  }
  const [, url = "", port] = /(http:\/\/127\.0\.0\.1:(\d+))\/docs/.exec(printed) ?? [];
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  expect(printed).toContain(`    DATABASE_URL=${database} PORT=${port} ${SHOWN_PROGRAM} keys create `);
  expect(printed).toContain(`    DATABASE_URL=${database} ${SHOWN_PROGRAM} operators create `);

  const [, administration = ""] = /Console: +(\S+)\/console\n/.exec(printed) ?? [];
  const operator = ["operators", "create", "--name", "Ada", "--role", "viewer", "--json"];
  const { token } = (await petstore.run(operator, { env: { DATABASE_URL: database } })).json;
  const headers = { Authorization: `Bearer ${token}` };
  const { settings } = await (await fetch(`${administration}/admin/v1/settings`, { headers })).json();
  const sources = new Map(settings.map(({ name, source }: { name: string; source: string }) => [name, source]));
  const names = ["HOST", "PORT", "DATABASE_URL", "PETSTORE_ADMIN_PORT", "PETSTORE_NODES"];
  expect(names.map((name) => sources.get(name))).toEqual(["option", "option", "option", "environment", "default"]);
  child.kill("SIGTERM");
  await exited;
  expect(readdirSync(petstore.directory)).not.toContain("other.db");
  const lines = (await log)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.find(({ msg }) => msg === "listening")).toMatchObject({
    ...{ deployment: "production", url: `${url}/v1`, host: "127.0.0.1", port: Number(port), database },
    adminPort: Number(new URL(administration).port),
  });
});

test("a first start without a console prints a key, and no link that would open it; as a unit it says how commands run", async () => {
  const env = {
    ...{ PORT: "0", PETSTORE_ADMIN_PORT: "off", PETSTORE_BASE_URL: "" },
    DATABASE_URL: `sqlite:${petstore.path("no-console.db")}`,
  };
  const sample = petstore.path("samples/pets.ndjson");
  mkdirSync(dirname(sample));
  writeFileSync(sample, "");
  // As systemd starts it.
  const unit = ["sh", "-c", 'SYSTEMD_EXEC_PID=$$ exec "$@"', "sh"] as const;
  const child = startPetstore(petstore.store, ["serve"], env, [...unit, ...commandFor(MAIN)]);
  const exited = once(child, "exit");
  let printed = "";
  for await (const part of child.stderr.setEncoding("utf8")) {
    printed += part;
    if (printed.includes("/docs/")) break;
  }
  const [, page = "", anchor] = /^ {4}(http:\S+)#(\S+)$/m.exec(printed) ?? [];
  const html = page === "" ? "" : await (await fetch(page)).text();
  child.kill("SIGTERM");
  await exited;
  expect(printed).toMatch(new RegExp(`^ {4}.* pets import ${sample}$`, "m"));
  expect(html).toContain(` id="${anchor}"`);
  expect(printed).toMatch(/^ {4}pets_live_\w+$/m);
  expect(printed).toMatch(/^ {2}Console: +off$/m);
  expect(printed).not.toMatch(/first admin|#\/first\//);
});

test.each([
  ["--port", "65536"],
  ["--database", "pets.db"],
  ["--database", ""],
  ["--host", " "],
  ["--port", ""],
])("serve refuses %s %j", async (option, value) => {
  const { code, stderr } = await petstore.run(["serve", option, value]);
  expect(code).toBeGreaterThan(0);
  expect(stderr).toMatch(/must be/i);
});
