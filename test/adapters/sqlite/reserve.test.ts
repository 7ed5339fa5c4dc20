import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "../../support/temporary.ts";

const SOURCE = fileURLToPath(new URL("../../../src/adapters/sqlite/reserve.ts", import.meta.url));

test("processes that make the reserve at the same time all have it", async () => {
  const directory = temporaryDirectory();
  const path = join(directory, "petstore.db");
  writeFileSync(path, "");
  const program = `import { Reserve } from ${JSON.stringify(SOURCE)}; new Reserve(${JSON.stringify(path)}).require();`;
  const make = async () => {
    const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "ignore", "pipe"] });
    const [[code], said] = await Promise.all([once(child, "exit"), text(child.stderr)]);
    return { code, said };
  };
  for (let round = 0; round < 3; round++) {
    rmSync(`${path}.reserve`, { force: true });
    const made = await Promise.all(Array.from({ length: 6 }, make));
    expect(made).toEqual(Array.from({ length: 6 }, () => ({ code: 0, said: "" })));
    expect(statSync(`${path}.reserve`).size).toBeGreaterThanOrEqual(1024 * 1024);
  }
  rmSync(directory, { recursive: true });
}, 60_000);
