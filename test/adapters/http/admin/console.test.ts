import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { consoleRoutes } from "../../../../src/adapters/http/admin/console.ts";
import { newContext } from "../../../../src/adapters/http/request-context.ts";
import { temporaryDirectory } from "../../../support/temporary.ts";

const PAGE = "<!doctype html><title>Console</title>";
const SCRIPT = "export const answer = 42;\n".repeat(40);
let directory: string;
let files: Record<string, string>;
beforeAll(() => {
  directory = temporaryDirectory();
  const contents = {
    "index.html": PAGE,
    "assets/main-1a2b.js": SCRIPT,
    "assets/main-1a2b.js.br": brotliCompressSync(SCRIPT),
    "assets/main-1a2b.js.gz": gzipSync(SCRIPT),
    "icon.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
  };
  mkdirSync(join(directory, "assets"));
  for (const [name, content] of Object.entries(contents)) writeFileSync(join(directory, name), content);
  files = Object.fromEntries(Object.keys(contents).map((name) => [name, join(directory, name)]));
});
afterAll(() => rmSync(directory, { recursive: true }));

async function get(path: string, headers: Record<string, string> = {}, among = files): Promise<Response> {
  const request = new Request(`http://localhost${path}`, { headers });
  return consoleRoutes(among).fetch(
    request,
    newContext(request, () => ""),
  );
}

test("the console has one HTML file, which browsers revalidate and which may load nothing from elsewhere", async () => {
  for (const path of ["/console", "/console/", "/console/keys", "/console/keys/key_1"]) {
    const answer = await get(path);
    expect(await answer.text()).toBe(PAGE);
    expect(answer.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    expect(answer.headers.get("Cache-Control")).toBe("no-cache");
    const policy = answer.headers.get("Content-Security-Policy");
    expect(policy).toStartWith("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; ");
    expect(policy).not.toContain("unsafe");
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
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const expected = { br: brotliCompressSync(SCRIPT), gzip: gzipSync(SCRIPT), none: Buffer.from(SCRIPT) }[
      encoding ?? "none"
    ];
    expect(Buffer.from(bytes).equals(expected)).toBe(true);
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
