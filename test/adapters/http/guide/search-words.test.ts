import { describe, expect, test } from "bun:test";
import { best, spelt, wordsOf } from "../../../../src/adapters/http/guide/browser/search-words.js";
import { Guide } from "../../../../src/adapters/http/guide/guide.ts";
import { anchorOf } from "../../../../src/adapters/http/guide/pages.ts";
import { BASE_URL } from "../../../support/client.ts";

type Passage = [url: string, page: string, heading: string, text: string];

const passage = (url: string, { page = "", heading = "", text = "" }): Passage => [url, page, heading, text];
const urls = (found: Passage[]) => found.map(([url]) => url);

test("a passage with half of the words is not found", () => {
  const both = passage("both", { heading: "Backups", text: "They are encrypted." });
  const half = passage("half", { heading: "Backups" });
  expect(urls(best([half, both], ["backups", "encrypted"]))).toEqual(["both"]);
});

test("a heading counts more than a word that a text often has", () => {
  const often = passage("often", { text: "limit ".repeat(30) });
  const heading = passage("heading", { heading: "The limit" });
  expect(urls(best([often, heading], ["limit"]))).toEqual(["heading", "often"]);
});

test("the beginning of a page with the word in its title comes before a heading of another page", () => {
  const heading = passage("heading", { page: "Errors", heading: "Limits" });
  const beginning = passage("beginning", { page: "Limits" });
  expect(urls(best([heading, beginning], ["limits"]))).toEqual(["beginning", "heading"]);
});

test("one wrong, missing or swapped letter of a short word is forgiven, and no two", () => {
  const passages = [passage("any", { text: "the limit of a key" })];
  expect(spelt(passages, ["limut", "limt", "liimt", "lumut", "limit"])).toEqual([
    "limit",
    "limit",
    "limit",
    "lumut",
    "limit",
  ]);
});

describe("the page that comes first", () => {
  const baseUrls = { production: BASE_URL, staging: "http://127.0.0.1:8090/v1" };
  const index = String(new Guide({ deployment: "production", baseUrls }).at("/docs/search-index.js")?.body);
  const passages: Passage[] = JSON.parse(index.slice("export default ".length, -";\n".length));

  test("is found by what each passage has: its address, the title of its page, and its own heading", () => {
    const titles = new Map(passages.filter(([, , heading]) => heading === "").map(([path, title]) => [path, title]));
    expect(titles.size).toBeGreaterThan(50);
    for (const [url, title, heading] of passages) {
      const [path = "", anchor] = url.split("#");
      // The beginning of a page that the contents call differently names it twice.
      expect([url, titles.get(path)?.startsWith(title)]).toEqual([url, true]);
      if (anchor !== undefined)
        expect([url, anchor.replace(/-\d+$/, "")]).toEqual([url, anchorOf(heading).replace(/-\d+$/, "")]);
    }
  });

  test.each([
    ["pagination", "/docs/paging"],
    ["cursor", "/docs/paging"],
    ["sdk", "/docs/client"],
    ["list pets", "/docs/reference/listPets"],
    ["listPets", "/docs/reference/listPets"],
    ["create pet", "/docs/reference/createPet"],
    ["delete a pet", "/docs/reference/deletePet"],
    ["update pet", "/docs/reference/updatePet"],
    ["POST /v1/store/orders", "/docs/reference/placeOrder"],
    ["getPet", "/docs/reference/getPet"],
    ["rate limit", "/docs/limits"],
    ["429", "/docs/limits"],
    ["quota", "/docs/limits"],
    ["ban", "/docs/limits"],
    ["Retry-After", "/docs/limits"],
    ["api key", "/docs/authentication"],
    ["auth", "/docs/authentication"],
    ["scopes", "/docs/authentication"],
    ["idempotency key", "/docs/idempotency"],
    ["retry", "/docs/retry-libraries"],
    ["pet_reserved", "/docs/errors"],
    ["invalid_json", "/docs/errors"],
    ["rate_limit_exceeded", "/docs/errors"],
    ["key_banned", "/docs/errors"],
    ["etag", "/docs/changing-pets"],
    ["if-match", "/docs/changing-pets"],
    ["inventory", "/docs/orders"],
    ["buy a pet", "/docs/reference/placeOrder"],
    ["usage", "/docs/usage"],
    ["deprecated", "/docs/deprecation"],
    ["mirror", "/docs/mirror"],
    ["sync", "/docs/mirror"],
    ["keep a copy", "/docs/mirror"],
    ["events", "/docs/events"],
    ["webhooks", "/docs/webhooks"],
    ["callback", "/docs/webhooks"],
    ["poll", "/docs/events"],
    ["subscribe", "/docs/webhooks"],
    ["paginate", "/docs/paging"],
    ["offset", "/docs/paging"],
    ["ai", "/docs/agents"],
    ["swagger", "/docs/reference"],
    ["throttle", "/docs/limits"],
    ["throttling", "/docs/limits"],
    ["login", "/docs/authentication"],
    ["api", "/docs/authentication"],
    ["purchase", "/docs/orders"],
    ["stock", "/docs/orders"],
    ["duplicate", "/docs/idempotency"],
    ["synchronize", "/docs/mirror"],
    ["replicate", "/docs/mirror"],
    ["copy", "/docs/mirror"],
    ["mock", "/docs/rehearsal"],
    ["simulate", "/docs/rehearsal"],
    ["env", "/docs/settings"],
    ["environment", "/docs/settings"],
    ["config", "/docs/settings"],
    ["configuration", "/docs/settings"],
    ["k8s", "/docs/deploy"],
    ["monitoring", "/docs/monitoring"],
    ["cluster", "/docs/scaling"],
    ["sunset", "/docs/deprecation"],
    ["sandbox", "/docs/rehearsal"],
    ["docker", "/docs/deploy"],
    ["kubernetes", "/docs/deploy"],
    ["backup", "/docs/backups"],
    ["restore", "/docs/backups"],
    ["environment variables", "/docs/settings"],
    ["PETSTORE_CORS_ORIGINS", "/docs/settings"],
    ["cli", "/docs/commands"],
    ["metrics", "/docs/monitoring"],
    ["upgrade", "/docs/upgrading"],
    ["idempotnecy", "/docs/idempotency"],
    ["generate a client in go", "/docs/generated-clients"],
    ["categories", "/docs/categories"],
    ["openapi", "/docs/generated-clients"],
    ["audit log", "/docs/console"],
    ["changelog", "/docs/changelog"],
    ["newest first", "/docs/paging"],
    ["mcp", "/docs/agents"],
    ["model context protocol", "/docs/agents"],
    ["claude", "/docs/agents"],
    ["llm", "/docs/agents"],
    ["agents", "/docs/agents"],
  ])("for “%s”: %s", (query, page) => {
    const [first] = best(passages, spelt(passages, wordsOf(query)));
    expect(first?.[0].split("#")[0]).toBe(page);
  });
});
