/** `npm run test:generators`: each section of docs/generated-clients.md, as it is, against a service of its own. */
import { afterAll, expect, test } from "bun:test";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { blocksIn, examplesIn } from "../examples/blocks.ts";
import { startService } from "../support/service.ts";
import { temporaryDirectory } from "../support/temporary.ts";

const PAGE = join(import.meta.dir, "../../docs/generated-clients.md");

/** The service's address in the page. */
const SHOWN = "http://127.0.0.1:8080";

/** How long a section may take, in ms: on a new machine its tools are downloaded and compiled first, behind all other work. */
const PATIENCE = 1_800_000;

/** A program of the page: the file that the line above it names, and its text. */
const PROGRAM = /^`([\w.]+)`:\n\n```\w+\n(.*?)^```$/gms;

const sections = readFileSync(PAGE, "utf8")
  .split(/^## /m)
  .slice(1)
  .map((section) => ({ title: section.slice(0, section.indexOf("\n")), section }))
  // It only says what to mind.
  .filter(({ title }) => title !== "Other generators");

test("every generator has commands, a program and its output", () => {
  const parts = sections.map(({ section }) => [
    ...blocksIn(section).map(({ language }) => language),
    [...section.matchAll(PROGRAM)].length,
  ]);
  expect(parts).toEqual(
    ["python", "python", "java", "go", "php", "ruby", "rust"].map((language) => ["sh", language, "console", 1]),
  );
});

// Compilers leave the processor to tests beside them that watch times.
setPriority(10);

/** Where the sections work, each in a directory of its own: they run beside each other, as they mostly wait for downloads. */
const directory = temporaryDirectory();
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Runs a script as a reader of the page does, and returns its output. */
async function run(cwd: string, script: string, key = ""): Promise<string> {
  const child = spawn("sh", ["-euc", script], {
    cwd,
    env: {
      ...process.env,
      PATH: `${join(cwd, "venv/bin")}:${process.env.PATH}`,
      PIP_NO_COMPILE: "1",
      CARGO_PROFILE_DEV_DEBUG: "0",
      KEY: key,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  if (child.exitCode !== 0) throw new Error(`${script}\nended with ${child.exitCode}:\n${stdout}${stderr}`);
  return stdout;
}

/** How a machine shows that it has what a section needs beside the tools that the page installs. */
const TOOLCHAINS: Record<string, string> = {
  PHP: "php --version",
  Ruby: "ruby --version",
  Rust: "cargo --version | grep -E ' 1\\.(8[5-9]|9|[1-9][0-9]{2})'",
};
const { here: possible = [], missing = [] } = Object.groupBy(sections, ({ title }) => {
  const check = TOOLCHAINS[title.replace(/ .*/, "")] ?? "true";
  return spawnSync("sh", ["-c", check]).status === 0 ? "here" : "missing";
});
for (const { title } of missing) console.log(`skipped: ${title}, whose toolchain this machine has not`);

/** Composer for a machine that cannot reach its registry: Debian's packages are what the generated client needs. */
const OFFLINE_COMPOSER = `#!/bin/sh
mkdir -p petstore-php/vendor
cat >petstore-php/vendor/autoload.php <<'PHP'
<?php
require "GuzzleHttp/autoload.php";
spl_autoload_register(fn ($name) => str_starts_with($name, "Petstore\\\\")
    && require __DIR__ . "/../lib/" . strtr(substr($name, 9), "\\\\", "/") . ".php");
PHP
`;

test.concurrent.each(possible)(
  "the generated client calls the service: $title",
  async ({ title, section }) => {
    const own = join(directory, title);
    mkdirSync(own);
    await run(own, "python3 -m venv venv");
    if (
      title.startsWith("PHP") &&
      (await fetch("https://repo.packagist.org/packages.json").catch(() => undefined)) === undefined
    ) {
      console.log(`${title}: with Debian's packages, as Composer cannot reach its registry`);
      writeFileSync(join(own, "venv/bin/composer"), OFFLINE_COMPOSER, { mode: 0o755 });
    }
    await using service = await startService();
    const { secret } = await service.createKey({ plan: "free" });
    const ours = (shown: string) => shown.replaceAll(SHOWN, service.url);
    for (const [, file = "", program = ""] of section.matchAll(PROGRAM)) {
      writeFileSync(join(own, file), ours(program));
    }
    for (const block of blocksIn(section)) {
      if (block.language === "sh") await run(own, ours(block.text));
      if (block.language !== "console") continue;
      for (const { command, output } of examplesIn(block)) expect(await run(own, command, secret)).toBe(output);
    }
    const [, library = ""] = /The client uses (\w+)/.exec(section) ?? [];
    const manifests = [...new Bun.Glob("*/{composer.json,*.gemspec,Cargo.toml,pyproject.toml}").scanSync(own)];
    const needed = manifests.map((file) => readFileSync(join(own, file), "utf8")).join("\n");
    expect(needed.toLowerCase()).toContain(library.toLowerCase());

    // A program of the page says what failed, also where there is no response to look into.
    await service.stop();
    const [last] = blocksIn(section)
      .filter(({ language }) => language === "console")
      .flatMap(examplesIn);
    const failure = await run(own, last?.command ?? "", secret).then(String, String);
    expect(failure).not.toMatch(/nil pointer|NullPointerException/);
  },
  PATIENCE,
);
