import { expect, test } from "bun:test";
import { misspeltVariables, variables } from "../../src/wiring/config.ts";

const closestTo = (name: string, value = "x") => misspeltVariables({ [name]: value })[0]?.closest;

test.each([
  ["PETSTORE_ADMIN_PROT", "PETSTORE_ADMIN_PORT"],
  ["PETSTORE_ADMINPORT", "PETSTORE_ADMIN_PORT"],
  ["PETSTORE_DEPLOYMNET", "PETSTORE_DEPLOYMENT"],
  ["PETSTORE_LOGLEVEL", "PETSTORE_LOG_LEVEL"],
  ["PETSTORE_TRUSTED_PROXY", "PETSTORE_TRUSTED_PROXIES"],
  ["PETSTORE_REQUEST_LOGS", "PETSTORE_REQUEST_LOG"],
  ["PETSTORE_DATABASE_URL", "DATABASE_URL"],
  ["PETSTORE_PORT", "PORT"],
  ["PETSTORE_REDIS_URI", "REDIS_URL"],
])("%s is taken for %s", (name, closest) => {
  expect(closestTo(name)).toBe(closest);
});

test("settings are not misspelt, nor are variables that are empty or of other programs", () => {
  for (const { name } of variables) expect(closestTo(name)).toBeUndefined();
  expect(closestTo("PETSTORE_ADMIN_PROT", " ")).toBeUndefined();
  for (const name of [
    "PETSTORE_API_KEY",
    "PETSTORE_TEST_STORE",
    "PETSTORE_NODE_ONE",
    "PETSTORE_SERVICE_HOST",
    "PETSTORE_SERVICE_PORT",
    "PETSTORE_PORT_80_TCP_ADDR",
    "PORTS",
  ]) {
    expect(closestTo(name)).toBeUndefined();
  }
  expect(closestTo("PETSTORE_PORT", "tcp://10.0.0.1:80")).toBeUndefined();
});
