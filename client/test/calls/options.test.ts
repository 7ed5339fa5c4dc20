import { expect, test } from "bun:test";
import { read, states } from "../../../test/support/markdown.ts";
import { PetstoreClient, type PetstoreOptions } from "../../src/main.ts";
import { VERSION } from "../../src/options.ts";

const apiKey = "pets_live_x";

/** The first request of a client with these options. */
async function requestOf(options: PetstoreOptions): Promise<Request> {
  const requests: Request[] = [];
  const fetch = async (url: string, init: RequestInit) => {
    requests.push(new Request(url, init));
    return new Response("[]");
  };
  await new PetstoreClient({ apiKey, fetch, ...options }).listPets();
  return requests[0] ?? new Request("about:blank");
}

test.each([
  ["https://pets.example.com/v1", "https://pets.example.com/v1/pets"],
  ["https://pets.example.com/v1/", "https://pets.example.com/v1/pets"],
  ["https://pets.example.com", "https://pets.example.com/v1/pets"],
  ["https://pets.example.com/", "https://pets.example.com/v1/pets"],
  ["http://pets.example.com:8080//", "http://pets.example.com:8080/v1/pets"],
  ["https://example.com/shop", "https://example.com/shop/v1/pets"],
  ["https://example.com/shop/v1//", "https://example.com/shop/v1/pets"],
])("baseUrl %s leads to %s", async (baseUrl, url) => {
  states(
    "client/README.md",
    "set `baseUrl` to the address that its operator gave you, with or without `/v1`.",
    "A missing `/v1` is added.",
  );
  expect((await requestOf({ baseUrl })).url).toBe(url);
  states("client/README.md", "with or without `/v1`.");
});

test.each([
  "pets.example.com",
  "pets.example.com:8080/v1",
  "/v1",
  "",
  "ftp://pets.example.com/v1",
  "https://me:secret@pets.example.com/v1",
  "https://pets.example.com/v1?limit=1",
  "https://pets.example.com/v1#top",
])("baseUrl %p is refused", (baseUrl) => {
  expect(() => new PetstoreClient({ apiKey, baseUrl })).toThrow("baseUrl must be an http or https URL");
});

test("the User-Agent names the client, then the program", async () => {
  states(
    "client/README.md",
    'Add your program with `appInfo: { name: "shop", version: "2.1", url: "https://shop.example.com" }`.',
  );
  states("client/README.md", "Browsers send their own `User-Agent` instead.");
  states("client/README.md", "`name`, `version` and `url` of your program, for the `User-Agent`.");
  const agentOf = async (options: PetstoreOptions) => (await requestOf(options)).headers.get("User-Agent");
  expect(await agentOf({})).toBe("petstore-client/1.0.0");
  expect(await agentOf({ appInfo: { name: "shop", version: "2.1" } })).toBe("petstore-client/1.0.0 shop/2.1");
  expect(await agentOf({ appInfo: { name: "shop", version: "2.1", url: "https://shop.example.com" } })).toBe(
    "petstore-client/1.0.0 shop/2.1 (https://shop.example.com)",
  );
  states("client/README.md", "The client identifies itself with `User-Agent: petstore-client/1.0.0`.");
});

test("the manifest has the version that the client names, and the runtime that the README needs", () => {
  const { name, version, engines, files, repository, type } = JSON.parse(read("client/package.json"));
  expect(`${name} ${version}`).toBe(`@petstore/client ${VERSION}`);
  states("client/README.md", `and runs on Node ${engines.node.replace(">=", "")} or newer, Bun, Deno and in browsers.`);
  states("client/README.md", `npm install ../petstore/petstore-client-${version}.tgz`);
  expect([type, files, repository.directory]).toEqual(["module", ["dist", "src"], "client"]);
});

test("an appInfo that is no header is refused", () => {
  for (const name of ["a\r\nb", "Bäcker"]) {
    expect(() => new PetstoreClient({ apiKey, appInfo: { name, version: "1" } })).toThrow("appInfo");
  }
});

test("an environment variable that is empty is as if it were not set", async () => {
  const before = { ...process.env };
  try {
    for (const value of ["", undefined]) {
      for (const name of ["PETSTORE_API_KEY", "PETSTORE_BASE_URL"]) {
        delete process.env[name];
        if (value !== undefined) process.env[name] = value;
      }
      expect(() => new PetstoreClient()).toThrow("There is no API key: pass apiKey, or set PETSTORE_API_KEY.");
      expect((await requestOf({})).url).toBe("http://127.0.0.1:8080/v1/pets");
    }
    process.env.PETSTORE_BASE_URL = "https://pets.example.com";
    expect((await requestOf({})).url).toBe("https://pets.example.com/v1/pets");
  } finally {
    for (const name of ["PETSTORE_API_KEY", "PETSTORE_BASE_URL"]) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
});
