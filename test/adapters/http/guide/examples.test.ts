import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { brokenIntoLines, textOf, wordsIn } from "../../../../src/adapters/http/guide/examples/call.ts";
import { LANGUAGES, variantsOf } from "../../../../src/adapters/http/guide/examples/languages.ts";
import { type Block, examplesIn } from "../../../examples/blocks.ts";
import { documents as pages } from "../../../examples/pages.ts";
import { states } from "../../../support/markdown.ts";

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
    states(
      "docs/call-it.md",
      "On the site, each example that calls the interface has tabs for curl, TypeScript, Python and Go.",
    );
    const left = Object.keys(without).find((part) => command.includes(part));
    const variants = variantsOf(command.trim(), "")?.map(({ name }) => name);
    expect(variants).toEqual(left === undefined ? names : undefined);
  });

  test.each(pages)("programs in $path", ({ blocks }) => {
    states(
      "docs/call-it.md",
      "Programs need nothing but the language's standard library, and in TypeScript at times the client.",
    );
    const programs = blocks.filter(
      ({ language, isVariant }) => language in LANGUAGES && (language !== "sh" || isVariant),
    );
    const imported: Record<string, RegExp> = {
      ts: /^import .* from "(.+)";$/gm,
      python: /^(?:from|import) (?!(?:json|os|random|re|time|urllib\.error|urllib\.request|uuid)\b)(.*)$/gm,
      go: /^\t"(.*\..*)"$/gm,
    };
    for (const { language, text } of programs.filter((program) => program.text.includes("/v1")))
      for (const [, from = ""] of text.matchAll(imported[language] ?? /$^/g))
        expect([language, from]).toEqual(["ts", "@petstore/client"]);
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

const CALL = 'curl -s -i http://127.0.0.1:8080/v1/pets -H "Authorization: Bearer $KEY"';

test("a program sets each id that the call has, wherever it is, once, before it makes the call", () => {
  const places = [
    CALL.replace("/pets", "/pets/$pet"),
    `${CALL} -H "If-Match: \\"$pet\\""`,
    `${CALL} -d "{\\"petId\\": $pet}"`,
    `${CALL.replace("/pets", "/orders/$order?pet=$pet")} -d "{\\"petId\\": $pet, \\"id\\": $order}"`,
  ];
  for (const command of places) {
    const ids = ["pet", "order"].filter((name) => command.includes(`$${name}`));
    const [, ...programs] = variantsOf(command, "") ?? [];
    const set = programs.map(({ text }) =>
      [...text.matchAll(/^\s*(?:const )?(\w+) :?= 1;?$/gm)].map(([, name]) => name),
    );
    expect([command, set.map((names) => names.toSorted())]).toEqual([command, Array(3).fill(ids.toSorted())]);
  }
});

test("a program in Python catches an answer that is not a 2xx, and only such a one", () => {
  const answers = [200, 201, 204, 304, 400, 404, 429, 500, 503].flatMap((status) => [
    [`HTTP/1.1 ${status} \r\nX-Limit: 500\r\n`, status] as const,
    [`${status}\n`, status] as const,
  ]);
  for (const [output, status] of [...answers, ['{"code":"pet_not_found"}', 404], ['{"id":404}', 200]] as const) {
    const python = variantsOf(CALL, output)?.find(({ language }) => language === "python")?.text;
    expect([output, python?.includes("except HTTPError as error:")]).toEqual([output, status >= 300]);
  }
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
