import { expect, test } from "bun:test";
import { best, spelt } from "../../../../src/adapters/http/guide/browser/search-words.js";

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
