/** The program's own parser accepts each command that a document, a file of deploy/ or a help shows, with its arguments. */
import { expect, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Command, CommanderError } from "commander";
import manifest from "../package.json" with { type: "json" };
import { petstoreCommand } from "../src/commands/petstore.ts";
import { codesIn, documents, ROOT, read, states, withoutBlocks } from "./support/markdown.ts";

const files = ["deploy", "samples"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name}`)
    .filter((path) => !/node_modules|\.(png|ndjson|ts)$/.test(path) && statSync(join(ROOT, path)).isFile()),
);

const groups = (await petstoreCommand()).commands
  .filter(({ commands }) => commands.length > 0)
  .map((one) => one.name());

/** What stands in a document for a value that the reader has. */
const PLACEHOLDERS: [shown: RegExp, value: string][] = [
  [/\$\(date \+%F\)/g, "2026-12-02"],
  [/"\$NAME"/g, "petstore-production-2026-12-02T10-00-00.250Z.db"],
  [/\bFILE\b/g, "pets.ndjson"],
];

/** The words of a command line until the command ends, or is given or gives something. */
function wordsOf(line: string): string[] {
  const shown = PLACEHOLDERS.reduce((text, [pattern, value]) => text.replace(pattern, value), line);
  const [command = ""] = shown.split(/\s(?:\||[<>]|&&?|#)(?=\s|$)|\)$/);
  return [...command.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) => word.replaceAll(/["']/g, ""));
}

/** A command as the words after `petstore`, and whether it is only named, as in a sentence. */
type Shown = { where: string; line: string; isNamed: boolean };

/** The name of the program before its first word, however it is called. */
const PROGRAM = /(?<=^|[\s`(]|npx --no |\/)petstore (?=[a-z]+(?:[\s`)]|$))/;
/** Messages that begin with it. */
const MESSAGES = /^(?:wrote the database|cannot start:)/;

/** A command of a group, without the name of the program. */
const SHORT = new RegExp(`^(?=(?:${groups.join("|")}) [a-z-]+(?: |$))`);

/** The command in a line, if there is one. What stands before it may name the program too, as a container. */
function commandIn(where: string, line: string, isNamed: boolean): Shown[] {
  const [, ...commands] = line.split(PROGRAM);
  const last = commands.at(-1);
  return last === undefined || MESSAGES.test(last) ? [] : [{ where, line: last, isNamed }];
}

const inOneLine = (text: string) => text.replaceAll(/ *\\\n\s*/g, " ");

function shownInPage(where: string): Shown[] {
  const text = inOneLine(read(where));
  const blocks = [...text.matchAll(/^ *```(?:sh|console)\n([\s\S]*?)^ *```/gm)].map(([, block = ""]) => block);
  const lines = blocks.flatMap((block) => block.split("\n")).filter((line) => !line.startsWith("#"));
  const named = codesIn(withoutBlocks(text)).map((code) => code.replaceAll(/\s+/g, " "));
  return [
    ...lines.flatMap((line) => commandIn(where, line, false)),
    ...named.flatMap((code) => commandIn(where, code.replace(SHORT, "petstore "), true)),
  ];
}

/** Of a file that is no document: commands with options, and those that a comment or a text names. */
function shownInFile(where: string): Shown[] {
  const lines = inOneLine(read(where)).split("\n");
  return lines.flatMap((line) => {
    const named = codesIn(line).flatMap((code) => commandIn(where, code, true));
    const whole = /\bpetstore [a-z]+ [a-z]+ --/.test(line) ? commandIn(where, line, false) : [];
    return named.length > 0 ? named : whole;
  });
}

/** A command and all below it. */
function allOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allOf)];
}
const isLeaf = ({ commands }: Command) => commands.length === 0;

/** The examples of the help of a command. */
function shownInHelp(command: Command): Shown[] {
  let help = "";
  command.configureOutput({
    writeOut: (text) => {
      help += text;
    },
  });
  command.outputHelp();
  const [, examples = ""] = help.split(/\nExamples?:\n/);
  return inOneLine(examples)
    .split("\n")
    .flatMap((line) => commandIn(`the help of ${command.name()}`, line, false));
}

/** What the parser says against these words; nothing is run. */
async function refusalOf(words: string[]): Promise<string | undefined> {
  const petstore = await petstoreCommand();
  let ran = false;
  for (const command of allOf(petstore)) {
    command.exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {}, outputError: () => {} });
    if (isLeaf(command)) {
      command.action(() => {
        ran = true;
      });
    }
  }
  try {
    await petstore.parseAsync(words, { from: "user" });
    return ran ? undefined : "no command";
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

const helps = allOf(await petstoreCommand())
  .filter(isLeaf)
  .flatMap(shownInHelp);
const all = [...documents.flatMap(shownInPage), ...files.flatMap(shownInFile), ...helps];
const once = new Map(all.map((shown) => [`${shown.line} ${shown.isNamed}`, shown]));

/** What a sentence leaves out of a command that it names. */
const LEFT_OUT = /^commander\.(missingArgument|missingMandatoryOptionValue|optionMissingArgument|help):|^no command$/;

test.each([...once.values()])("$where: petstore $line", async ({ line, isNamed }) => {
  const refusal = await refusalOf(wordsOf(line));
  if (isNamed && LEFT_OUT.test(refusal ?? "")) return;
  expect(refusal).toBeUndefined();
});

test("docs/testing.md names the package, its command and its file as the manifest does", () => {
  const [command = ""] = Object.keys(manifest.bin);
  const file = `${manifest.name.replace("@", "").replace("/", "-")}-${manifest.version}.tgz`;
  states(
    "docs/testing.md",
    `The package is \`${manifest.name}\`, whose command is \`${command}\`; \`${command}\` of the npm registry is another one.`,
    `\`npm pack\` in a checkout creates the file to install, as in \`npm install --save-dev ../petstore/${file}\`.`,
  );
  // What the guide shows of Vitest is what the sample does, and those without npm start a demo.
  const [, faked = "?"] =
    /vi\.useFakeTimers\(\{ (toFake: \[[^\]]*\])/.exec(read("samples/testing/vitest/pet-names.test.js")) ?? [];
  states(
    "docs/testing.md",
    `Leave that real, in Vitest with \`vi.useFakeTimers({ ${faked} })\`.`,
    "Node's `fetch` does not: it needs `setImmediate` before it uses a connection again, and else waits for ever.",
    "Tests in another language start `petstore demo` themselves, as the samples for pytest and Go do.",
  );
  for (const sample of ["pytest/conftest.py", "go/petnames_test.go"])
    expect([sample, read(`samples/testing/${sample}`).includes('"demo"')]).toEqual([sample, true]);
});

test("what documents have npm install or remove for all users is the package of the service", () => {
  const named = documents.flatMap((page) =>
    [...read(page).matchAll(/npm (?:un)?install (?:--global|-g) ([@\w/-]+)/g)].map(([, name]) => [page, name]),
  );
  expect(named.length).toBeGreaterThan(0);
  expect(named).toEqual(named.map(([page]) => [page, manifest.name]));
});
