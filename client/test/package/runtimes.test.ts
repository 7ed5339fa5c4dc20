import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, extname, join } from "node:path";
import { chromium } from "playwright-core";
import { findNode } from "../../../bin/runtime.js";
import { type RunningService, startService } from "../../../test/support/service.ts";
import { CLIENT, projectWithPackage } from "../support/package.ts";
import { UnsteadyLine } from "../support/unsteady-line.ts";

/** The time-out of a tour, in ms: some of its calls are retried with real delays. */
const PATIENCE = 60_000;

const inPath = (name: string) =>
  (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));

const versionOf = (program: string) =>
  spawnSync(program, ["--version"], { encoding: "utf8" }).stdout.split("\n")[0] ?? "";
const node = inPath("node");
const newestNode = findNode();
const deno = inPath("deno");

const runtimes: [string, string[]][] = [["Bun", [process.execPath, "--no-env-file", "run.mjs"]]];
if (node !== undefined) runtimes.push([`the machine's Node`, [node, "run.mjs"]]);
if (newestNode !== undefined && newestNode !== node) runtimes.push(["a newer Node", [newestNode, "run.mjs"]]);
if (deno !== undefined) runtimes.push(["Deno", [deno, "run", "--no-remote", "--allow-net=127.0.0.1", "run.mjs"]]);
else console.log("skipped: the client is not run on Deno, which is not on the PATH");
const CHROMIUM = inPath("chromium");
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
  for (const name of ["tour.mjs", "run.mjs"]) cpSync(join(CLIENT, "test/package/runtimes", name), join(project, name));
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

const SEEN = (id: string) => ({
  petId: id,
  events: [`getPet 2030-12-05T00:00:00.000Z http://petstore.test/v1/pets?ids=${id}`],
});

describe.each(runtimes)("on %s", (_name, [program = "", ...args]) => {
  test(
    `every operation of the client works: ${versionOf(program)}`,
    async () => {
      // Without Deno's update check, and without the proxies of the environment.
      const env = { PATH: process.env.PATH, HOME: project, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" };
      const child = spawn(program, [...args, JSON.stringify(await places())], { cwd: project, env });
      let output = "";
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (output += bytes));
      const [code] = await once(child, "close");
      expect({ output, code }).toEqual({ output: expect.stringMatching(/^\{.*\}\n$/), code: 0 });
      const seen = JSON.parse(output);
      expect(seen).toEqual(SEEN(seen.petId));
    },
    PATIENCE,
  );
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
      expect(seen).toEqual(SEEN(seen.petId));
    } finally {
      await browser.close();
    }
  },
  PATIENCE,
);
