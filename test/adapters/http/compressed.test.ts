import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { compress } from "../../../src/adapters/http/responses.ts";
import { states } from "../../support/markdown.ts";
import { type RunningService, startService } from "../../support/service.ts";

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.remove());

/** Fetches the bytes as they are sent. */
async function get(path: string, headers: Record<string, string>) {
  const url = path.startsWith("/admin/") ? service.adminUrl : service.url;
  const answer = await fetch(url + path, { headers, decompress: false });
  return { answer, bytes: Buffer.from(await answer.arrayBuffer()) };
}

const paths = [
  "/openapi.json",
  "/docs/reference",
  "/docs/reference/listPets",
  "/docs/search-index.js",
  "/docs",
  "/docs/limits",
  "/docs/style.css",
  "/docs/windows.svg",
];

describe.each([...paths, "/admin/openapi.json"])("%s", (path) => {
  test("is sent in the smallest encoding that the client accepts, if it weighs none", async () => {
    states("docs/interface.md", "The document, the documentation and the reference are sent compressed (br or gzip),");
    const plain = await get(path, { "Accept-Encoding": "identity" });
    expect(plain.answer.headers.get("Content-Encoding")).toBe(null);
    const br = await get(path, { "Accept-Encoding": "gzip, br" });
    expect(br.answer.headers.get("Content-Encoding")).toBe("br");
    expect(brotliDecompressSync(br.bytes).equals(plain.bytes)).toBe(true);
    const gzip = await get(path, { "Accept-Encoding": "gzip, br;q=0" });
    expect(gzip.answer.headers.get("Content-Encoding")).toBe("gzip");
    expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true);
    for (const { answer } of [plain, br, gzip]) expect(answer.headers.get("Vary")).toBe("Accept-Encoding");
  });

  test("has an ETag for each encoding, and is 304 without a body to a client that has it", async () => {
    states("docs/interface.md", "with an `ETag`;");
    const tags = new Set<string>();
    for (const encoding of ["identity", "gzip", "br"]) {
      const { answer } = await get(path, { "Accept-Encoding": encoding });
      const tag = answer.headers.get("ETag") ?? "";
      tags.add(tag);
      for (const condition of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
        const again = await get(path, { "Accept-Encoding": encoding, "If-None-Match": condition });
        expect(again.answer.status).toBe(304);
        expect(again.answer.headers.get("ETag")).toBe(tag);
        expect(again.bytes.length).toBe(0);
      }
      const other = await get(path, { "Accept-Encoding": encoding, "If-None-Match": '"other"' });
      expect(other.answer.status).toBe(200);
    }
    expect(tags.size).toBe(3);
  });
});

test.each([
  ["br;q=0.1, gzip;q=0.9", "gzip"],
  ["gzip;q=0.9, br;q=0.1", "gzip"],
  ["gzip;q=0.5, br;q=0.501", "br"],
  ["gzip, br;q=1.000", "br"],
  ["GZIP ; Q=0.8, br;q=0.5", "gzip"],
  ["gzip;q=0.001", "gzip"],
  ["identity, gzip;q=0.5", null],
  ["identity;q=0.5, gzip", "gzip"],
  ["br;q=0.000, gzip;q=0", null],
  ["deflate, zstd", null],
  ["", null],
])("of Accept-Encoding: %s the coding with the greatest weight is sent", async (accepted, coding) => {
  const { answer } = await get("/openapi.json", { "Accept-Encoding": accepted });
  expect(answer.headers.get("Content-Encoding")).toBe(coding);
});

test("a body that compression makes no smaller is sent as it is", async () => {
  const answer = await get("/docs/icon.svg", { "Accept-Encoding": "br, gzip" });
  const plain = await get("/docs/icon.svg", { "Accept-Encoding": "identity" });
  expect(answer.bytes.length).toBeLessThanOrEqual(plain.bytes.length);
  const incompressible = crypto.getRandomValues(new Uint8Array(1_000));
  expect([...(await compress(incompressible)).encodings.keys()]).toEqual(["identity"]);
});
