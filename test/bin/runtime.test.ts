import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { findNode, runtimeCommand } from "../../bin/runtime.js";
import { variables } from "../../src/wiring/config.ts";
import { states } from "../support/markdown.ts";
import { temporaryDirectory } from "../support/temporary.ts";

/** The oldest Node that runs the service, by its major version, as the text of the setting has it. */
const text = variables.find(({ name }) => name === "PETSTORE_RUNTIME")?.text ?? "";
const OLDEST = Number(/the first Node (\d+) or newer on the `PATH`/.exec(text)?.[1]);

const { PATH } = process.env;
let directory: string;
beforeAll(() => {
  directory = temporaryDirectory();
});
afterEach(() => {
  process.env.PATH = PATH;
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Puts programs named node on the PATH, which print these versions, in this order. Returns their paths. */
function withNodes(...versions: string[]): string[] {
  const places = versions.map((version, at) => {
    const place = join(directory, `${at}-${version}`);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, "node"), `#!/bin/sh\necho ${version}\n`, { mode: 0o755 });
    return place;
  });
  process.env.PATH = [join(directory, "nothing"), ...places].join(delimiter);
  return places.map((place) => join(place, "node"));
}

test("Node runs the service if it is new enough: the first such one on the PATH", () => {
  states("docs/running.md", `Node must be version ${OLDEST} or newer`);
  const [, , first] = withNodes(`v${OLDEST - 1}.99.0`, "v9.0.0", `v${OLDEST}.0.0`, `v${OLDEST + 2}.1.0`);
  expect(findNode()).toBe(first);
  expect(runtimeCommand("node")).toEqual([String(first), "--disable-warning=ExperimentalWarning"]);
  withNodes(`v${OLDEST - 1}.99.0`, "1.4.5");
  expect(findNode()).toBeUndefined();
  expect(() => runtimeCommand("node")).toThrow(
    `PETSTORE_RUNTIME=node needs Node ${OLDEST} or newer, which is not on the PATH.`,
  );
});

test("Bun runs it otherwise, without settings from a file; there is no third runtime", () => {
  for (const runtime of [undefined, "bun"]) expect(runtimeCommand(runtime).slice(1)).toEqual(["--no-env-file"]);
  expect(() => runtimeCommand("deno")).toThrow("PETSTORE_RUNTIME must be bun or node, not deno.");
});
