import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Block, blocksIn } from "./blocks.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Pages that other programs run, or whose programs need packages of their own, and which. */
const RUN_ELSEWHERE: Record<string, string> = {
  "generated-clients.md": "npm run test:generators",
  "proxies.md": "client/test/package/proxies.test.ts",
  "retry-libraries.md": "npm run test:retries",
};

const names = readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md") && !(name in RUN_ELSEWHERE));

/** The README and the pages in docs/, whose examples are run. */
export const documents: { path: string; text: string; blocks: Block[] }[] = [
  "README.md",
  ...names.map((name) => `docs/${name}`),
].map((path) => {
  const text = readFileSync(join(ROOT, path), "utf8");
  return { path, text, blocks: blocksIn(text) };
});
