/** Each sentence that a test shows to be true is on its page, also if the test takes long, or needs what is not here. */
import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { type CallExpression, parseSync } from "@swc/core";
import { describes } from "./support/descriptions.ts";
import { ROOT, read, states } from "./support/markdown.ts";

/** A text without values of the code in it. */
function textOf(expression: CallExpression["arguments"][number]["expression"]): string | undefined {
  if (expression.type === "StringLiteral") return expression.value;
  if (expression.type !== "TemplateLiteral" || expression.expressions.length > 0) return undefined;
  return expression.quasis.map(({ cooked }) => cooked ?? "").join("");
}

/** The calls of one of these functions in a part of a syntax tree, with their texts. */
function callsIn(part: unknown, found: { name: string; texts: (string | undefined)[] }[] = []) {
  if (typeof part !== "object" || part === null) return found;
  const { type, callee, arguments: given } = part as Partial<CallExpression>;
  if (type === "CallExpression" && callee?.type === "Identifier" && /^(states|describes)$/.test(callee.value))
    found.push({ name: callee.value, texts: (given ?? []).map(({ expression }) => textOf(expression)) });
  for (const inside of Object.values(part)) callsIn(inside, found);
  return found;
}

const listed = spawnSync("git", ["ls-files", "test", "client/test"], { cwd: ROOT, encoding: "utf8" });
const files = listed.stdout
  .split("\n")
  .filter((path) => path.endsWith(".ts") && /\b(states|describes)\(/.test(read(path)));

test.each(files.filter((path) => !path.startsWith("test/support/")))("the sentences in %s", (path) => {
  for (const { name, texts } of callsIn(parseSync(read(path), { syntax: "typescript", target: "esnext" }))) {
    const [of, ...sentences] = texts;
    if (of === undefined) continue;
    const known = sentences.filter((sentence) => sentence !== undefined);
    if (name === "states") states(of, ...known);
    else describes(of, ...known);
  }
});

test("sentences are found in most of these tests", () => {
  expect(files.length).toBeGreaterThan(150);
  const code = `states("docs/a.md", "A.", \`B.\`, \`\${c} D.\`); if (x) describes("Pet", "E.");`;
  expect(callsIn(parseSync(code, { syntax: "typescript" }))).toEqual([
    { name: "states", texts: ["docs/a.md", "A.", "B.", undefined] },
    { name: "describes", texts: ["Pet", "E."] },
  ]);
});
