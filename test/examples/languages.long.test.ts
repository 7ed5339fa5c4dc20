import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { Deployment } from "../../src/domain/deployment.ts";
import { scopes } from "../../src/domain/keys/key.ts";
import { states } from "../support/markdown.ts";
import { freePort } from "../support/ports.ts";
import { commandFor } from "../support/runtime.ts";
import { RunningService } from "../support/service.ts";
import { temporaryDirectory } from "../support/temporary.ts";
import { comparable, type Program, programsIn } from "./blocks.ts";
import { compileGo, hasGo } from "./go.ts";
import { documents } from "./pages.ts";
import { addresses, deploymentOf, PACKAGES } from "./reader.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PATIENCE = 300_000;

const hasPython = spawnSync("python3", ["--version"]).status === 0;
if (!hasGo) console.log("skipped: the examples in Go are not run, without go on this machine");
if (!hasPython) console.log("skipped: the examples in Python are not run, without python3 on this machine");

const languages = ["ts", ...(hasPython ? ["python"] : []), ...(hasGo ? ["go"] : [])];
/** Pages about modules that only JavaScript can load. */
const TYPESCRIPT_ONLY = ["docs/testing.md"];
const pages = documents
  .map(({ path, text, blocks }) => {
    const own = TYPESCRIPT_ONLY.includes(path) ? ["ts"] : languages;
    return { path, deployment: deploymentOf(text), programs: own.map((language) => programsIn(blocks, language)) };
  })
  .filter(({ programs: [first = []] }) => first.length > 0);

const inGo = pages.flatMap(({ programs }) => programs.flat().filter(({ language }) => language === "go"));
const directory = temporaryDirectory();
let goExecutable = "";
beforeAll(() => {
  symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
  writeFileSync(join(directory, "tsconfig.json"), JSON.stringify({ compilerOptions: { paths: PACKAGES } }));
  if (hasGo)
    goExecutable = compileGo(
      inGo.map((program) => program.text),
      join(directory, "go"),
    );
}, 2 * PATIENCE);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** A service with the addresses and the limits that the documents show. */
async function start(PETSTORE_DEPLOYMENT: Deployment): Promise<{ service: RunningService; secret: string }> {
  const PORT = String(await freePort());
  const url = `http://127.0.0.1:${PORT}/v1`;
  const name = PETSTORE_DEPLOYMENT === "staging" ? "PETSTORE_STAGING_BASE_URL" : "PETSTORE_BASE_URL";
  const env = { PETSTORE_DEPLOYMENT, PORT, [name]: url, PETSTORE_ADDRESS_LIMIT: "300" };
  const service = new RunningService({ env });
  await service.start();
  return { service, secret: (await service.createKey({ plan: "business", scopes: [...scopes] })).secret };
}

/** Runs a program against this service. */
async function outcomeOf(program: Program, shown: string, url: string, key: string): Promise<string> {
  const { language } = program;
  const code = program.text.replaceAll(shown, url).replaceAll("pets_stag_…", key);
  const file = join(directory, `example-${new URL(url).port}-${program.line}.${language === "python" ? "py" : "ts"}`);
  if (language !== "go") writeFileSync(file, code);
  const [command, ...args] = {
    sh: ["sh", "-ec", code],
    ts: commandFor(file, "bun"),
    python: ["python3", file],
    go: [goExecutable, String(inGo.indexOf(program))],
  }[language] ?? [""];
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, KEY: key, ADDRESS: new URL(url).host };
  const child = spawn(command ?? "", args, {
    cwd: directory,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: PATIENCE / 2,
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  expect({ status: child.exitCode, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout.replaceAll(url, shown);
}

/** What a program prints, in the form of curl: with the version of HTTP before the status. */
function asCurl(printed: string, expected: string): string {
  return comparable(expected.startsWith("HTTP/") && !printed.startsWith("HTTP/") ? `HTTP/1.1 ${printed}` : printed);
}

test("pages have as many examples in each language", () => {
  states("CONTRIBUTING.md", "four blocks in a row, `sh`, `ts`, `python` and `go`, which print the same.");
  for (const { path, programs } of pages)
    expect({ path, counts: programs.map(({ length }) => length) }).toEqual({
      path,
      counts: programs.map(() => programs[0]?.length ?? 0),
    });
  expect(inGo.length).toBeGreaterThan(60);
});

describe.each(pages)(
  "one after the other, the programs of $path print the same in each language:",
  ({ programs, deployment }) => {
    let runs: Awaited<ReturnType<typeof start>>[] = [];
    beforeAll(async () => {
      runs = await Promise.all(programs.map(() => start(deployment)));
    });
    afterAll(() => Promise.all(runs.map(({ service }) => service.remove())));

    test.each((programs[0] ?? []).map(({ line }, at) => ({ line, at })))("line $line", async ({ at }) => {
      const printed = await Promise.all(
        programs.map((own, i) => {
          const [program, run] = [own[at], runs[i]];
          if (program === undefined || run === undefined) throw new Error("There is no such example in this language.");
          return outcomeOf(program, addresses[deployment].shown, run.service.url, run.secret);
        }),
      );
      const prints = programs[0]?.[at]?.prints.trim() ?? "";
      // Where the document shows nothing, the languages agree.
      const expected = comparable(prints === "" ? (printed[0] ?? "") : prints);
      expect(expected).not.toBe("");
      expect(printed.map((text) => asCurl(text, prints))).toEqual(programs.map(() => expected));
    });
  },
);

/** The programs that repeat a request, in each language. */
const REPEATING = ["docs/idempotency.md", "docs/limits.md"];
const patient = REPEATING.flatMap((of) => documents.filter(({ path }) => path === of))
  .flatMap(({ path, blocks }) => blocks.map((block) => ({ ...block, path })))
  .filter(({ language, text }) => ["sh", ...languages].includes(language) && /Retry-After|--retry/.test(text));

test("the programs that repeat a request wait after a refusal by the limits and after an error, in each language", async () => {
  states("docs/limits.md", "and so does curl with `--retry`");
  expect(patient.map(({ path, language }) => `${path} ${language}`)).toEqual(
    REPEATING.flatMap((path) => ["sh", ...languages].map((one) => `${path} ${one}`)),
  );
  const { service } = await start("staging");
  try {
    const keys = await Promise.all(patient.map(() => service.createKey({ limits: { perMinute: 2, perDay: 100 } })));
    for (const { id, secret } of keys) {
      const client = service.withSecret(secret);
      for (const status of [200, 200, 429]) expect((await client.get("/v1/pets?limit=1")).status).toBe(status);
      const simulation = { answer: "service_unavailable", next: 1 };
      await service.changeKey((all) => all.simulate(id, simulation, service.now));
    }
    // Their windows end in 2 s. Then each gets an error, and at last what it asks for.
    await service.advance({ seconds: 58 });
    await service.runClock();
    const { shown } = addresses.production;
    const printed = await Promise.all(
      patient.map((block, at) => {
        const program = inGo.find(({ text }) => text === block.text) ?? block;
        return outcomeOf(program, shown, service.url, keys[at]?.secret ?? "");
      }),
    );
    expect(printed.map((text) => text.trim())).toEqual(patient.map(({ prints }) => prints.trim()));
  } finally {
    await service.remove();
  }
});

test("the programs that repeat a creation add one pet when its answer is lost, in each language", async () => {
  const { service, secret } = await start("staging");
  try {
    const creations = patient.filter(({ path }) => path === "docs/idempotency.md");
    expect(creations).toHaveLength(languages.length + 1);
    const keys = await Promise.all(creations.map(() => service.createKey({ plan: "business" })));
    for (const { id } of keys)
      await service.changeKey((all) => all.simulate(id, { answer: "lost-answer", next: 1 }, service.now));
    await Promise.all(
      creations.map((block, at) => {
        const program = inGo.find(({ text }) => text === block.text) ?? block;
        return outcomeOf(program, addresses.production.shown, service.url, keys[at]?.secret ?? "");
      }),
    );
    const { body: pets } = await service.withSecret(secret).get("/v1/pets?limit=100");
    expect(pets).toHaveLength(creations.length);
  } finally {
    await service.remove();
  }
});

/** How often the programs that change a pet try it. */
const ATTEMPTS = 5;

test("the programs that change a pet begin again while other clients are faster, in each language", async () => {
  const { service, secret } = await start("production");
  let refusals = 0;
  /** Refuses what changes a pet, but for each last attempt, as if another client had changed it. */
  const faster = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      if (request.method === "PATCH" && ++refusals % ATTEMPTS !== 0)
        return Response.json({ code: "precondition_failed", message: "Read it again.", status: 412 }, { status: 412 });
      const body = request.method === "GET" ? null : await request.text();
      return fetch(service.url + pathname + search, { method: request.method, headers: request.headers, body });
    },
  });
  try {
    const changes = documents
      .filter(({ path }) => path === "docs/changing-pets.md")
      .flatMap(({ blocks }) => blocks)
      .filter(({ language, text }) => ["sh", ...languages].includes(language) && text.includes("Brave"));
    expect(changes).toHaveLength(languages.length + 1);
    const url = `http://127.0.0.1:${faster.port}`;
    for (const block of changes) {
      const program = inGo.find(({ text }) => text === block.text) ?? block;
      expect((await outcomeOf(program, addresses.production.shown, url, secret)).trim()).toBe(block.prints.trim());
    }
  } finally {
    await faster.stop(true);
    await service.remove();
  }
});
