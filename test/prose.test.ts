import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "./support/temporary.ts";

const root = join(import.meta.dir, "..");

/** Texts with words from prh.yml, and what the check reports: word and replacement. */
const texts = [
  {
    name: "a document",
    file: "page.md",
    text: "# Pets\n\nAn animal is added.\nYou may send 60 requests a minute.\n",
    found: ["animal → pet", "a minute → per minute"],
  },
  {
    name: "a phrase that continues on the next line",
    file: "page.md",
    text: "Only those\nwho operate it.\n",
    found: ["those\nwho → the role (clients, operators, users)"],
  },
  {
    name: "code and links in a document, which do not count",
    file: "page.md",
    text: "`animal` is [a link](animal.md)\n\n```ts\nconst animal = 1;\n```\n",
    found: [],
  },
  {
    name: "the text of an element",
    file: "page.tsx",
    text: "export const page = (animal: Pet) => <p class={animal.name}>The animal</p>;\n",
    found: ["animal → pet"],
  },
  {
    name: "comments and strings of a program, but not its names",
    file: "pets.ts",
    text: '/** An animal. */\nconst animal = "animal"; // animal\nconst text = `an animal`;\n',
    found: ["animal → pet", "animal → pet", "animal → pet", "animal → pet"],
  },
];

describe("the check of words finds:", () => {
  let directory = "";
  beforeAll(() => {
    directory = temporaryDirectory();
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test.each(texts)("$name", ({ file, text, found }) => {
    const path = join(directory, file);
    writeFileSync(path, text);
    const prh = join(root, "node_modules/prh/bin/prh");
    const args = [prh, "--verify", "--rules", join(root, "prh.yml"), path];
    const { status, stdout } = spawnSync("node", args, { encoding: "utf8" });
    const reported = stdout.split(`${path}(`).slice(1);
    expect(reported.map((finding) => finding.trimEnd().replace(/^\d+,\d+\): /, ""))).toEqual(found);
    expect(status).toBe(found.length === 0 ? 0 : 1);
  });
});
