import { expect, test } from "bun:test";
import { PetstoreClient, type PetstoreOptions } from "../../src/main.ts";

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
  expect((await requestOf({ baseUrl })).url).toBe(url);
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
  const agentOf = async (options: PetstoreOptions) => (await requestOf(options)).headers.get("User-Agent");
  expect(await agentOf({})).toBe("petstore-client/1.0.0");
  expect(await agentOf({ appInfo: { name: "shop", version: "2.1" } })).toBe("petstore-client/1.0.0 shop/2.1");
  expect(await agentOf({ appInfo: { name: "shop", version: "2.1", url: "https://shop.example.com" } })).toBe(
    "petstore-client/1.0.0 shop/2.1 (https://shop.example.com)",
  );
});

test("an appInfo that is no header is refused", () => {
  for (const name of ["a\r\nb", "Bäcker"]) {
    expect(() => new PetstoreClient({ apiKey, appInfo: { name, version: "1" } })).toThrow("appInfo");
  }
});
