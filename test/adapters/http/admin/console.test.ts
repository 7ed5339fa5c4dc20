import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { consoleRoutes } from "../../../../src/adapters/http/admin/site.ts";
import { newContext } from "../../../../src/adapters/http/request.ts";
import { siteOf } from "../../../../src/adapters/http/site.ts";
import { states } from "../../../support/markdown.ts";
import { fetched, noConnection, plainRequest } from "../../../support/no-connection.ts";
import { temporaryDirectory } from "../../../support/temporary.ts";

const PAGE = '<!doctype html><html lang="en"><title>Console</title></html>';
const SCRIPT = "export const answer = 42;\n".repeat(40);
let directory: string;
let files: Record<string, string>;
beforeAll(() => {
  directory = temporaryDirectory();
  const contents = {
    "index.html": PAGE,
    "assets/main-1a2b.js": SCRIPT,
    "icon.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
  };
  mkdirSync(join(directory, "assets"));
  for (const [name, content] of Object.entries(contents)) writeFileSync(join(directory, name), content);
  files = Object.fromEntries(Object.keys(contents).map((name) => [name, join(directory, name)]));
});
afterAll(() => rmSync(directory, { recursive: true }));

async function get(path: string, headers: Record<string, string> = {}, among = files): Promise<Response> {
  const site = siteOf(
    consoleRoutes(among, { deployment: "staging", operatorCommand: 'a "b"', singleSignOn: undefined }),
    "",
  );
  return fetched(await site(newContext(plainRequest(path, { headers }), noConnection)));
}

test("the console has one HTML file, which browsers revalidate and which may load nothing from elsewhere", async () => {
  states("SECURITY.md", "The console's content security policy allows nothing from other hosts.");
  states("SECURITY.md", "The console's content security policy allows nothing from other hosts.");
  for (const path of ["/console", "/console/", "/console/keys", "/console/keys/key_1"]) {
    const answer = await get(path);
    expect(await answer.text()).toBe(
      PAGE.replace("<html ", '<html data-deployment="staging" data-operator-command="a &quot;b&quot;" '),
    );
    expect(answer.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    expect(answer.headers.get("Cache-Control")).toBe("no-cache");
    expect(answer.headers.get("Content-Security-Policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(answer.headers.get("Referrer-Policy")).toBe("no-referrer");
    expect(answer.headers.get("X-Content-Type-Options")).toBe("nosniff");
  }
});

test("a file with a hash in its name is cached forever, and compressed as the browser accepts", async () => {
  const path = "/console/assets/main-1a2b.js";
  const plain = await get(path);
  expect(await plain.text()).toBe(SCRIPT);
  expect(plain.headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
  expect(plain.headers.get("Content-Type")).toBe("text/javascript; charset=utf-8");
  for (const [accepted, encoding] of [
    ["gzip, deflate, br, zstd", "br"],
    ["gzip", "gzip"],
    ["br;q=0, gzip;q=0.5", "gzip"],
    ["identity", null],
    ["brotli", null],
  ] as const) {
    const answer = await get(path, { "Accept-Encoding": accepted });
    expect(answer.headers.get("Content-Encoding")).toBe(encoding);
    expect(answer.headers.get("Vary")).toBe("Accept-Encoding");
    const bytes = Buffer.from(await answer.arrayBuffer());
    const decoded = { br: brotliDecompressSync, gzip: gunzipSync, none: (plain: Buffer) => plain }[encoding ?? "none"];
    expect(decoded(bytes).toString()).toBe(SCRIPT);
    if (encoding !== null) expect(bytes.length).toBeLessThan(SCRIPT.length);
  }
});

test("each file has an ETag, and is 304 to a browser that has it", async () => {
  states(
    "docs/console.md",
    "The console is at `/console` on the administration listener, 127.0.0.1:8081 (staging: 8091).",
  );
  for (const path of ["/console", "/console/assets/main-1a2b.js", "/console/icon.svg"]) {
    const tag = (await get(path)).headers.get("ETag") ?? "";
    const again = await get(path, { "If-None-Match": tag });
    expect([again.status, await again.text()]).toEqual([304, ""]);
  }
});

describe("a file that is not listed is 404:", () => {
  test.each([
    "/console/nothing.js",
    "/console/assets/../package.json",
    "/console/constructor.name",
    "/console/__proto__.x",
  ])("%s", async (path) => {
    const answer = await get(path);
    expect([answer.status, await answer.text()]).toEqual([404, "This file does not exist.\n"]);
  });
});

test("before it is built, it says how to build it", async () => {
  const answer = await get("/console", {}, {});
  expect(answer.status).toBe(404);
  expect(await answer.text()).toStartWith("The console is not built.");
});

test("every file, and every error, forbids guessing its type and sends no address to other sites", async () => {
  for (const path of ["/console", "/console/assets/main-1a2b.js", "/console/icon.svg", "/console/nothing.js"]) {
    const answer = await get(path);
    expect(answer.headers.get("X-Content-Type-Options")).toBe("nosniff");
    if (answer.status === 200) {
      expect(answer.headers.get("Referrer-Policy")).toBe("no-referrer");
      expect(answer.headers.get("Content-Security-Policy")).toContain("frame-ancestors 'none'");
    }
  }
});
