import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { variables } from "../../src/wiring/config.ts";

const DEPLOY = join(import.meta.dir, "../../deploy");
const read = (path: string) => readFileSync(join(DEPLOY, path), "utf8");
const SETTINGS = variables.map(({ name }) => name);
/** Variables of the proxies, and those of the Compose files themselves, from which they make settings. */
const OTHERS = new Set([
  ...(read("haproxy.cfg").match(/PETSTORE_[A-Z_]+/g) ?? []),
  ...(read("Caddyfile").match(/PETSTORE_[A-Z_]+/g) ?? []),
  "PETSTORE_HOST",
  "PETSTORE_STAGING_HOST",
]);

test.each(
  readdirSync(DEPLOY, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(DEPLOY.length + 1)),
)("every setting that deploy/%s names exists", (name) => {
  const named = [...read(name).matchAll(/\b(PETSTORE_[A-Z0-9_]+|AWS_[A-Z0-9_]+|DATABASE_URL|REDIS_URL)\b/g)].map(
    ([setting]) => setting,
  );
  expect(named.filter((setting) => !SETTINGS.includes(setting) && !OTHERS.has(setting))).toEqual([]);
});

test("the proxies ask nodes whether they are ready, and not whether they are alive", () => {
  const backends = read("haproxy.cfg")
    .split(/^(?=\w)/m)
    .filter((section) => section.startsWith("backend "));
  const asked = backends.map((section) => /^ +option httpchk (.*)$/m.exec(section)?.[1]);
  expect(asked).toEqual(["GET /readyz", "GET /readyz"]);
  expect([...read("Caddyfile").matchAll(/\bhealth_uri (.*)/g)].map(([, path]) => path)).toEqual(["/readyz"]);
});

test("HAProxy speaks no TLS that RFC 8996 deprecates", () => {
  expect(read("haproxy.cfg")).toMatch(/^ +ssl-default-bind-options (.* )?ssl-min-ver TLSv1\.[23]\b/m);
});

test("Caddy closes an idle connection before the node does, which could cut a request", () => {
  const idle = /^const TIMEOUT = (\d+);$/m.exec(readFileSync("src/adapters/listen/connection.ts", "utf8"))?.[1];
  const kept = /^\s*keepalive (\d+)s$/m.exec(read("Caddyfile"))?.[1];
  expect(Number(kept)).toBeLessThan(Number(idle));
});
