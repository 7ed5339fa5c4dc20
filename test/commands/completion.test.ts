import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { states } from "../support/markdown.ts";
import { Workplace } from "./petstore.ts";

let petstore: Workplace;
beforeAll(() => {
  petstore = new Workplace();
});
afterAll(() => petstore.remove());

const completedByFunction = (words: string[]) =>
  `COMP_WORDS=(${words.map((word) => `"${word}"`).join(" ")}); COMP_CWORD=${words.length - 1}; _petstore; printf '%s\\n' "\${COMPREPLY[@]}"`;

/** For each shell: its command line, and what has it print the completions of a command line. */
const shells: Record<string, { options: string[]; completing: (words: string[]) => string }> = {
  bash: { options: ["--norc"], completing: completedByFunction },
  // As bashcompinit calls such a function.
  zsh: { options: ["-f"], completing: (words) => `emulate sh -c '${completedByFunction(words).replaceAll("'", `"`)}'` },
  fish: { options: ["--no-config"], completing: (words) => `complete -C '${words.join(" ")}'` },
};

describe.each(Object.entries(shells))("in %s", (shell, { options, completing }) => {
  const isMissing = spawnSync(shell, ["--version"]).status !== 0;
  if (isMissing) console.log(`skipped: completion is not tried in ${shell}, which is not on this machine`);

  let script: string;
  beforeAll(async () => {
    ({ stdout: script } = await petstore.run(["completion", shell]));
  });

  function completionsOf(line: string): string[] {
    const command = `${script}\n${completing(line.split(" "))}`;
    const { stdout, stderr } = spawnSync(shell, [...options, "-c", command], { encoding: "utf8" });
    expect(stderr).toBe("");
    const found = stdout.split("\n").flatMap((completion) => completion.split("\t")[0] || []);
    // zsh calls the function for all words, and then drops those that do not begin as the line ends.
    return shell === "zsh" ? found.filter((word) => word.startsWith(line.split(" ").at(-1) ?? "")) : found;
  }

  test.skipIf(isMissing).each([
    ["petstore k", ["keys"]],
    ["petstore keys", ["keys"]],
    ["petstore keys list", ["list"]],
    ["petstore keys re", ["rename", "revoke"]],
    ["petstore keys create --p", ["--per-day", "--per-minute", "--plan"]],
    ["petstore keys create --name x --plan ", ["business", "enterprise", "free", "pro"]],
    ["petstore pets export --status p", ["pending"]],
    ["petstore pets ", ["delete", "export", "help", "import", "list", "show", "update"]],
    ["petstore orders list --status ", ["approved", "cancelled", "delivered", "placed"]],
    ["petstore categories i", ["import"]],
    ["petstore completion ", ["--help", "bash", "fish", "zsh"]],
  ])("%s", (line, expected) => {
    const found = completionsOf(line);
    expect(found.filter((word) => word !== "--help" || expected.includes(word)).sort()).toEqual(expected);
  });
});

test("bash completes the name of a file where nothing else fits", async () => {
  const { stdout: script } = await petstore.run(["completion", "bash"]);
  const { stdout } = spawnSync("bash", ["--norc", "-c", `${script}\ncomplete -p petstore`], { encoding: "utf8" });
  expect(stdout).toContain(" -o default ");
});

const isFishMissing = spawnSync("fish", ["--version"]).status !== 0;
test.skipIf(isFishMissing).each(["petstore openapi --output pack", "petstore pets export --output pack"])(
  "fish completes the name of a file after %s",
  async (line) => {
    const { stdout: script } = await petstore.run(["completion", "fish"]);
    const { stdout } = spawnSync("fish", ["--no-config", "-c", `${script}\ncomplete -C '${line}'`], {
      encoding: "utf8",
    });
    expect(stdout).toMatch(/^package\.json$/m);
  },
);

test("an unknown shell is a usage error", async () => {
  states(
    "docs/commands.md",
    "`source <(petstore completion bash)` adds completion to bash; zsh and fish have scripts too.",
  );
  const { code, stderr } = await petstore.run(["completion", "tcsh"]);
  expect(code).toBe(2);
  expect(stderr).toContain("Allowed choices are bash, zsh, fish.");
});
