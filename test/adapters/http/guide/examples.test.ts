import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { brokenIntoLines, textOf, wordsIn } from "../../../../src/adapters/http/guide/examples/call.ts";
import { LANGUAGES, variantsOf } from "../../../../src/adapters/http/guide/examples/languages.ts";
import { type Block, examplesIn } from "../../../examples/blocks.ts";
import { documents as pages } from "../../../examples/pages.ts";

const commandsIn = (block: Block) =>
  block.language === "console"
    ? examplesIn(block).map(({ command }) => command)
    : block.language === "sh" && !block.isVariant
      ? [block.text]
      : [];
const commands = pages
  .flatMap(({ blocks }) => blocks.flatMap(commandsIn))
  .filter((command) => /\bcurl\b/.test(command));

/** A word as a shell may write it: bare, in single or in double quotes, or in several pieces. */
const character = fc.constantFrom(..."abc 0:/?&=-_{}[]'\"\\$`\n%#…");
const quoted = fc.oneof(
  fc.stringMatching(/^[\w./:=?&,-]+$/),
  fc.string({ unit: character }).map((text) => `'${text.replaceAll("'", "")}'`),
  fc.string({ unit: character }).map((text) => `"${text.replace(/["\\$`]/g, "\\$&")}"`),
);
const word = fc.array(quoted, { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join(""));
const spaces = fc.constantFrom(" ", "  ", " \\\n  ");

test("words are those of the shell", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(spaces, word), { minLength: 1, maxLength: 30 }), (pieces) => {
      const command = pieces.map(([space, text]) => space + text).join("");
      // `&` and `?` are written in quotes in documents.
      const script = `set -f; printf '%s\\0' ${command.replaceAll("&", "+")}`;
      const { stdout } = spawnSync("sh", ["-c", script], { encoding: "utf8" });
      const found = wordsIn(command.replaceAll("&", "+")) ?? [];
      expect(found.map((parts) => `${textOf(parts)}\0`).join("")).toBe(stdout);
    }),
    { numRuns: 100 },
  );
});

test("a variable in double quotes is one, in single quotes it is text", () => {
  expect(wordsIn(`curl "a $id" '$id' \\$ $KEY`)).toBeUndefined();
  expect(wordsIn(`curl "a $id" '$id' "\\$id" x$KEY`)).toEqual([
    ["curl"],
    ["a ", { variable: "id" }],
    ["$id"],
    ["$id"],
    ["x", { variable: "KEY" }],
  ]);
});

test.each([...new Set(commands)])("broken into lines, a command has the same words: %s", (command) => {
  expect(wordsIn(brokenIntoLines(command.trim()))).toEqual(wordsIn(command.trim()));
});

describe("an example that calls the interface has a tab for each language:", () => {
  const names = Object.values(LANGUAGES);

  /** Commands without tabs, by what is in them, and why. */
  const without: Record<string, string> = {
    "curl -s http://127.0.0.1:8081/admin/": "operators call the administration interface",
    "curl -s http://127.0.0.1:8080/mcp ": "agents call it, and no operation is there",
    "|| echo no answer": "without a response, each library reports something else",
    "| grep": "two headers of many are shown",
    "| jq -c": "a part of the response is shown",
    "%header{": "one header is shown",
    "for request in 1 2 3": "what it shows is planned by the operator's command before it",
    printf: "the same, with a file that another command makes",
  };

  test.each([...new Set(commands)])("%s", (command) => {
    const left = Object.keys(without).find((part) => command.includes(part));
    const variants = variantsOf(command.trim(), "")?.map(({ name }) => name);
    expect(variants).toEqual(left === undefined ? names : undefined);
  });

  test.each(pages)("programs in $path", ({ blocks }) => {
    const programs = blocks.filter(
      ({ language, isVariant }) => language in LANGUAGES && (language !== "sh" || isVariant),
    );
    const texts = programs.map(({ language, text }) => ({ language, calls: text.includes("/v1") }));
    for (const language of Object.keys(LANGUAGES)) {
      const count = texts.filter((program) => program.calls && program.language === language).length;
      expect({ language, count }).toEqual({
        language,
        count: texts.filter(({ calls }) => calls).length / names.length,
      });
    }
  });
});

describe("what has no translation stays a command of the shell:", () => {
  test.each([
    "curl -s http://127.0.0.1:8080/v1/pets --compressed",
    "curl -s http://127.0.0.1:8080/v1/pets | jq .",
    "curl -s http://127.0.0.1:8080/v1/pets http://127.0.0.1:8080/v1/usage",
    'curl -s http://127.0.0.1:8081/admin/v1/keys -H "Authorization: Bearer $TOKEN"',
    "curl -s -o pets.json http://127.0.0.1:8080/v1/pets",
    "for i in 1 2; do curl -s http://127.0.0.1:8080/v1/pets; done",
    "npx --no petstore keys list",
    "curl",
  ])("%s", (command) => {
    expect(variantsOf(command, "")).toBeUndefined();
  });
});
