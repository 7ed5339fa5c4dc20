import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { chromium } from "playwright-core";
import { findNode } from "../../../bin/runtime.js";
import { CHROMIUM } from "../../../test/browser/chromium.ts";
import { states } from "../../../test/support/markdown.ts";
import { type RunningService, startService } from "../../../test/support/service.ts";
import { CLIENT, projectWithPackage } from "../support/package.ts";
import { UnsteadyLine } from "../support/unsteady-line.ts";

/** The time-out of a tour, in ms: some of its calls are retried with real delays. */
const PATIENCE = 60_000;

const versionOf = (program: string) =>
  spawnSync(program, ["--version"], { encoding: "utf8" }).stdout.split("\n")[0] ?? "";
const node = Bun.which("node");
const newestNode = findNode();
const deno = Bun.which("deno");

const runtimes: [string, string[]][] = [["Bun", [process.execPath, "--no-env-file", "run.mjs"]]];
if (node !== null) runtimes.push([`the machine's Node`, [node, "run.mjs"]]);
if (newestNode !== undefined && newestNode !== node) runtimes.push(["a newer Node", [newestNode, "run.mjs"]]);
if (deno !== null) runtimes.push(["Deno", [deno, "run", "--no-remote", "--allow-net=127.0.0.1", "run.mjs"]]);
else console.log("skipped: the client is not run on Deno, which is not on the PATH");
if (CHROMIUM === undefined) console.log("The client is not run in a browser: there is no chromium.");

const TYPES: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript" };
const PAGE = `<!doctype html><title>A shop</title>
<script type="importmap">{ "imports": { "@petstore/client": "/node_modules/@petstore/client/dist/main.js" } }</script>
<script type="module">import { tour } from "/tour.mjs"; globalThis.tour = tour;</script>`;

let project: string;
let shop: Server;
let origin: string;
let service: RunningService;
let line: UnsteadyLine;

beforeAll(async () => {
  project = projectWithPackage();
  for (const name of ["tour.mjs", "run.mjs", "environment.mjs"])
    cpSync(join(CLIENT, "test/package/runtimes", name), join(project, name));
  // A page of another origin than the service's, so the browser sends preflights.
  shop = createServer(({ url = "/" }, answer) => {
    const file = join(project, new URL(url, "http://shop").pathname);
    if (url === "/") answer.setHeader("Content-Type", "text/html").end(PAGE);
    else if (existsSync(file))
      answer.setHeader("Content-Type", TYPES[extname(file)] ?? "text/plain").end(readFileSync(file));
    else answer.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  await once(shop, "listening");
  origin = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
  service = await startService({ env: { PETSTORE_CORS_ORIGINS: origin } });
  line = await UnsteadyLine.to(Number(new URL(service.url).port), 2, 300);
});
afterAll(async () => {
  shop.close();
  line.close();
  await service.remove();
});

/** The services of a tour, each with a key whose limits are soon used up. */
async function places() {
  const { secret: apiKey } = await service.createKey();
  const { secret: smallKey } = await service.createKey({ limits: { perMinute: 1, perDay: 1_000 } });
  return { apiKey, smallKey, baseUrl: `${service.url}/v1`, fragileUrl: `http://127.0.0.1:${line.port}/v1` };
}

const SEEN = (id: string, userAgent: string | null = "petstore-client/1.0.0 tour/1") => ({
  petId: id,
  userAgents: [userAgent],
  events: [`getPet 2030-12-05T00:00:00.000Z http://petstore.test/v1/pets?ids=${id}`],
});

/** Runs a program of the project, without Deno's update check, and without the proxies of the environment. */
async function run(program: string, args: string[], variables: Record<string, string> = {}) {
  const fixed = { PATH: process.env.PATH, HOME: project, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" };
  const child = spawn(program, args, { cwd: project, env: { ...fixed, ...variables } });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (output += bytes));
  const [code] = await once(child, "close");
  return { output, code };
}

describe.each(runtimes)("on %s", (_name, [program = "", ...args]) => {
  test(`every operation of the client works: ${versionOf(program)}`, async () => {
    const { output, code } = await run(program, [...args, JSON.stringify(await places())]);
    expect({ output, code }).toEqual({ output: expect.stringMatching(/^\{.*\}\n$/), code: 0 });
    const seen = JSON.parse(output);
    expect(seen).toEqual(SEEN(seen.petId));
  });

  test("the key and the address may come from the environment", async () => {
    states(
      "client/README.md",
      "Without these options, the client reads the environment variables `PETSTORE_API_KEY` and `PETSTORE_BASE_URL`; on Deno only if the program has the permission (`--allow-env=PETSTORE_API_KEY,PETSTORE_BASE_URL`):",
    );
    const { apiKey, baseUrl } = await places();
    const variables = { PETSTORE_API_KEY: apiKey, PETSTORE_BASE_URL: baseUrl };
    const permitted = args.map((arg) =>
      arg === "--no-remote" ? "--allow-env=PETSTORE_API_KEY,PETSTORE_BASE_URL" : arg,
    );
    const file = [...permitted.slice(0, -1), "environment.mjs"];
    expect(await run(program, file, variables)).toEqual({ output: "enterprise\n", code: 0 });
    const missing = { output: "TypeError: There is no API key: pass apiKey, or set PETSTORE_API_KEY.\n", code: 0 };
    expect(await run(program, file)).toEqual(missing);
    expect(await run(program, file, { ...variables, PETSTORE_API_KEY: "" })).toEqual(missing);
    if (program === deno)
      expect(await run(program, [...args.slice(0, -1), "environment.mjs"], variables)).toEqual(missing);
  });
});

test.skipIf(CHROMIUM === undefined)(
  "on a page of another origin every operation of the client works: Chromium",
  async () => {
    const browser = await chromium.launch({
      executablePath: CHROMIUM ?? "",
      args: ["--no-sandbox"],
      timeout: PATIENCE,
    });
    try {
      const page = await browser.newPage();
      await page.goto(origin);
      await page.waitForFunction("globalThis.tour !== undefined");
      const seen = await page.evaluate<{ petId: string }>(`tour(${JSON.stringify(await places())})`);
      states("client/README.md", "Browsers send their own `User-Agent` instead.");
      // The service's preflight does not allow another.
      expect(seen).toEqual(SEEN(seen.petId, null));
    } finally {
      await browser.close();
    }
  },
);
