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

test("of a long word two wrong letters are forgiven, no three, never the first, and the frequent word is taken", () => {
  const passages = [
    passage("one", { text: "idempotency idempotence idempotency keys" }),
    passage("two", { page: "Operators", heading: "Tokens" }),
  ];
  expect(spelt(passages, ["idempotency", "idempotenci", "idmpotancy", "idmpotanci", "adempotency"])).toEqual([
    ...["idempotency", "idempotency", "idempotency", "idmpotanci", "adempotency"],
  ]);
  expect(spelt(passages, ["operaters", "tokns", "kez", "sdk", "pagination"])).toEqual([
    ...["operators", "tokens", "kez", "sdk", "pagination"],
  ]);
});

test("the words of a question are those that say what it is about, each once, in any case, without its marks", () => {
  expect(wordsOf("How do I  create another Key, and what is a key?")).toEqual(["create", "key"]);
  expect(wordsOf(" If-Match: v1.2; (why)! ")).toEqual(["if-match", "v1.2", "(why)"]);
  expect(wordsOf("what is it?")).toEqual(["what", "is", "it?"]);
  expect(wordsOf(" ")).toEqual([]);
});

test.each([
  ["library", "a client"],
  ["endpoint", "an operation"],
  ["concurrency", "a conditional request"],
  ["optimistic", "a conditional request"],
  ["rate", "limits and bans"],
  ["create", "add it"],
  ["delete", "remove it"],
  ["edit", "change it"],
  ["update", "change it"],
  ["buy", "an order"],
])("what readers call %s is found as %s, and as that", (word, text) => {
  const passages = [
    passage("theirs", { text }),
    passage("own", { text: `one ${word}` }),
    passage("other", { text: "a" }),
  ];
  expect(urls(best(passages, [word])).toSorted()).toEqual(["own", "theirs"]);
});

describe("of two passages with the same words comes first", () => {
  type Parts = { page?: string; heading?: string; text?: string };
  const first = (words: string[], better: Parts, other: Parts & { url?: string }) => {
    const passages = [passage(other.url ?? "/docs/a", other), passage("/docs/b", better)];
    expect(urls(best(passages, words))[0]).toBe("/docs/b");
  };

  test("that which has them together, and that which is about little else", () => {
    first(["client", "keys"], { text: "all client keys there" }, { text: "all keys of one client" });
    first(["limit"], { text: "a limit, a limit" }, { text: `${"limit ".repeat(4)}${"word ".repeat(2_000)}` });
  });

  test("that whose title they are, or are all in, and that whose page has one", () => {
    first(["orders"], { page: "Orders" }, { page: "Orders and inventory" });
    first(["add", "pet"], { heading: "Add a pet" }, { heading: "Add", text: "pet pet pet" });
    first(["key"], { page: "Your key", heading: "Rotate" }, { page: "Usage", heading: "Rotate", text: "key key" });
  });

  test("that with more of them, and a short word is not the beginning of another", () => {
    first(["a1", "b2", "c3"], { text: "a1 b2 c3" }, { heading: "a1 b2" });
    first(["key"], { text: "a key" }, { heading: "Keyboard", text: "keyboards" });
    first(["ban"], { text: "two bans" }, { text: "a bandwidth, and urban" });
  });

  test.each(["architecture", "benchmarks", "changelog", "contributing", "known-traps", "stores", "work-on-it"])(
    "that for clients and operators, not %s, which is a page",
    (name) => {
      const same = { heading: "Backups", text: "backups" };
      first(["backups"], same, { ...same, url: `/docs/${name}#backups` });
      first(["backups"], same, { ...same, url: `/docs/${name}` });
      expect(new Guide({ deployment: "production", baseUrls }).paths).toContain(`/docs/${name}`);
    },
  );
});

const baseUrls = { production: BASE_URL, staging: "http://127.0.0.1:8090/v1" };

describe("the page that comes first", () => {
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
    ["edit pet", "/docs/reference/updatePet"],
  ])("for “%s”: %s", (query, page) => {
    const [first] = best(passages, spelt(passages, wordsOf(query)));
    expect(first?.[0].split("#")[0]).toBe(page);
  });
});
