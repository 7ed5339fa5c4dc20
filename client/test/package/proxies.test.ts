import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { findNode } from "../../../bin/runtime.js";
import { eventually } from "../../../test/support/eventually.ts";
import { states } from "../../../test/support/markdown.ts";
import { useService } from "../../../test/support/use-service.ts";
import { CLIENT, projectWithPackage } from "../support/package.ts";

const service = useService();
/** What the proxy has printed: its address, and each request that went through it. */
let printed: string[] = [];
const proxy = spawn(findNode() ?? "node", [join(CLIENT, "test/support/proxy.mjs")]);
let project: string;
let secret: string;
let address = "";

beforeAll(async () => {
  createInterface(proxy.stdout).on("line", (line) => printed.push(line));
  await eventually(() => printed.length > 0);
  [address = ""] = printed;
  project = projectWithPackage();
  symlinkSync(join(CLIENT, "../node_modules/undici"), join(project, "node_modules/undici"));
  secret = (await service.createKey({ plan: "business" })).secret;
});
beforeEach(() => {
  printed = [];
});
afterAll(() => {
  proxy.kill();
});

const page = readFileSync(join(CLIENT, "../docs/proxies.md"), "utf8");
const programs = [...page.matchAll(/^```js\n(.*?)^```$/gms)].map(([, text = ""]) => text);
const [plain = "", ofNode = "", ofBun = "", ofDeno = "", ofAgent = ""] = programs;

/** Runs a program of the page, with the address of the proxy in place of the one that it shows. */
async function run(command: string[], program: string, variables: Record<string, string> = {}) {
  const file = join(project, "shop.mjs");
  const key = `apiKey: "${secret}", baseUrl: "${service.url}"`;
  writeFileSync(file, program.replace('apiKey: "pets_live_…"', key).replace("http://proxy.example.com:3128", address));
  const [name = "", ...args] = command;
  const fixed = { PATH: process.env.PATH, HOME: project, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" };
  const child = spawn(name, [...args, file], { cwd: project, env: { ...fixed, ...variables } });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (output += bytes));
  const [code] = await once(child, "close");
  return { output, code };
}

const bun = [process.execPath, "--no-env-file"];
const node = findNode();
const machines = Bun.which("node");
const deno = Bun.which("deno");
const host = () => new URL(service.url).host;
const direct = () => `GET ${service.url}/v1/pets?limit=1`;
const tunnel = () => `CONNECT ${host()}`;

const cases: [string, string[], string, () => string[], Record<string, string>][] = [
  ["Bun, by the environment", bun, plain, () => [direct()], {}],
  ["Bun, for one client", bun, ofBun, () => [direct()], {}],
];
if (node !== undefined) {
  cases.push(["Node, by the environment", [node], plain, () => [direct()], { NODE_USE_ENV_PROXY: "1" }]);
  cases.push(["Node, with an agent without a proxy", [node], ofAgent, () => [], {}]);
}
if (machines !== null) cases.push(["the machine's Node, for one client", [machines], ofNode, () => [tunnel()], {}]);
if (deno !== null) {
  const allowed = [deno, "run", "--no-remote", "--allow-net"];
  cases.push(["Deno, by the environment", allowed, plain, () => [direct()], {}]);
  cases.push(["Deno, for one client", allowed, ofDeno, () => [direct()], {}]);
}

test("the page has a program for each runtime", () => {
  states("client/README.md", "| `fetch` | the global one | Sends the requests. |");
  states(
    "docs/proxies.md",
    "| Bun | `HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY` |",
    "| Deno | the same, with `--allow-net` for the proxy |",
    "| Node 24 or newer | the same, and `NODE_USE_ENV_PROXY=1` |",
    "| an older Node | none: use a proxy for one client |",
    "| browsers | none: they take the proxy of the system |",
    "`HTTPS_PROXY` is for a service with an `https` address, `HTTP_PROXY` for one with `http`.",
    "`NODE_EXTRA_CA_CERTS=company.pem` adds an authority on Node and Bun, `--cert company.pem` on Deno.",
    "A proxy reads the key of a service with an `http` address. With `https` it sees the host alone.",
    "The client sends each request with the global `fetch`, or with the function that you pass as `fetch`: what your runtime does for `fetch`, it does for the client.",
  );
  expect(programs).toHaveLength(5);
  for (const [program, word] of [
    [plain, "PetstoreClient"],
    [ofNode, "ProxyAgent"],
    [ofBun, "proxy:"],
    [ofDeno, "createHttpClient"],
    [ofAgent, "new Agent"],
  ] as const)
    expect(program).toContain(word);
});

/** The variable for a service with an `http` address, as the page names it. */
const [, FOR_HTTP = ""] = /, `(\w+)` for one with `http`\./.exec(page) ?? [];

test.each(cases)("the client uses a proxy on %s", async (_name, command, program, expected, variables) => {
  const proxies = program === plain ? { [FOR_HTTP]: address } : {};
  expect(await run(command, program, { ...proxies, ...variables })).toEqual({ output: "0\n", code: 0 });
  await eventually(() => printed.length >= expected().length);
  expect(printed).toEqual(expected());
});

test("a host in NO_PROXY is called directly", async () => {
  states("docs/proxies.md", "`NO_PROXY` lists hosts to call directly.");
  const variables = { [FOR_HTTP]: address, NO_PROXY: "127.0.0.1" };
  expect(await run(bun, plain, variables)).toEqual({ output: "0\n", code: 0 });
  expect(printed).toEqual([]);
});
