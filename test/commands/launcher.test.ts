import { expect, test } from "bun:test";
import { asRun, commandOf, isUnit } from "../../src/commands/program.ts";

const IMAGE = ["/usr/local/bin/petstore"];
const started = (program: string[], files: string[] = [], environment: Record<string, string> = {}) =>
  commandOf({ program, environment, exists: (path) => files.includes(path), host: "3f2a9c" });

test.each<[string, string]>([
  [started(["/opt/bun", "--no-env-file", "/srv/petstore/src/main.ts"], ["/.dockerenv"]), "npx petstore"],
  [started(["/home/ada/petstore"], ["/.dockerenv"]), "petstore"],
  [started(IMAGE), "petstore"],
  [started(IMAGE, ["/.dockerenv"]), "docker exec 3f2a9c petstore"],
  [started(IMAGE, ["/.dockerenv", "/run/.containerenv"]), "podman exec 3f2a9c petstore"],
  [started(IMAGE, ["/.dockerenv"], { SYSTEMD_EXEC_PID: "7" }), "petstore"],
  [started(IMAGE, [], { KUBERNETES_SERVICE_HOST: "10.0.0.1" }), "kubectl exec 3f2a9c -- petstore"],
])("%s is %s", (command, expected) => {
  expect(command).toBe(expected);
});

test("a unit is the process that systemd has started, and none that this one starts", () => {
  const environment = { SYSTEMD_EXEC_PID: "7" };
  expect([isUnit(environment, 7), isUnit(environment, 8), isUnit({}, 7)]).toEqual([true, false, false]);
});

test.each([
  ["Run `petstore keys list`, or `petstore serve`.", "Run `npx petstore keys list`, or `npx petstore serve`."],
  ["Usage: petstore keys list [options]", "Usage: petstore keys list [options]"],
  [
    "Examples:\n  petstore keys list\n  petstore pets list",
    "Examples:\n  npx petstore keys list\n  npx petstore pets list",
  ],
  ["  source <(petstore completion bash)", "  source <(npx petstore completion bash)"],
  ["  PORT=9000 DATABASE_URL=x petstore serve", "  PORT=9000 DATABASE_URL=x npx petstore serve"],
  ["petstore: another petstore serves this file", "petstore: another petstore serves this file"],
])("%p names commands as they are run: %p", (text, expected) => {
  expect(asRun(text, "npx petstore")).toBe(expected);
});
