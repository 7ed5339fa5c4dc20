import { expect, test } from "bun:test";
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { newSecret } from "../../src/domain/keys/secret.ts";
import { commandFor } from "../support/runtime.ts";

const PROGRAM = fileURLToPath(new URL("../support/log-a-secret.ts", import.meta.url));

async function logged(how: "terminal" | "file", secret: string): Promise<string> {
  const [program, ...args] = commandFor(PROGRAM);
  const { stdout, stderr } = await promisify(execFile)(program, [...args, how, secret]);
  return stdout + stderr;
}

test.each(["production", "staging"] as const)(
  "a secret of %s never reaches the log, however it gets there",
  async (deployment) => {
    const secret = newSecret(deployment);
    for (const how of ["terminal", "file"] as const) {
      const output = await logged(how, secret);
      expect(output).not.toContain(secret.slice("pets_live_".length, -"_checks".length));
      expect(output).toContain("a key: ");
      expect(output).toContain("[key]");
      expect(output).toContain("the end");
    }
  },
);

test("in a file the log is a JSON object a line", async () => {
  const lines = (await logged("file", newSecret("production"))).trim().split("\n");
  expect(lines).toHaveLength(5);
  for (const line of lines)
    expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number), time: expect.any(Number) });
});
