import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readConfig, variables } from "../../src/wiring/config.ts";
import { states } from "../support/markdown.ts";

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

test("the HAProxy of docs/running.md bounds as deploy/ does what slow clients take, and asks the node that listens there", () => {
  const [, shown = ""] =
    /```haproxy\n([\s\S]*?)```/.exec(readFileSync(join(DEPLOY, "../docs/running.md"), "utf8")) ?? [];
  const timeoutsOf = (text: string) =>
    Object.fromEntries([...text.matchAll(/^ +timeout (\S+) +(\d+)s$/gm)].map(([, name = "", s]) => [name, Number(s)]));
  const [page, own] = [timeoutsOf(shown), timeoutsOf(read("haproxy.cfg"))];
  expect([page["http-request"], page["http-keep-alive"]]).toEqual([own["http-request"], own["http-keep-alive"]]);
  const [, forEvents] = /set-timeout server (\d+)s/.exec(read("haproxy.cfg")) ?? [];
  expect(page.server).toBe(Number(forEvents));
  const { host, port } = readConfig({});
  expect(shown).toContain(`server one ${host}:${port} check inter 1s`);
  expect(shown).toMatch(/^ +http-request set-header X-Forwarded-For %\[src\]$/m);
  expect(shown).toMatch(/^ +option httpchk GET \/readyz$/m);
  expect(shown).toMatch(/^ +bind :443 ssl crt \S+ alpn h2,http\/1\.1$/m);
});

test("docs/running.md says what HAProxy compresses", () => {
  const names: Record<string, string> = {
    "application/json": "JSON",
    "text/html": "HTML",
    "text/css": "CSS",
    "text/javascript": "JavaScript",
    "application/yaml": "YAML",
  };
  const types = /^ +compression type (.*)$/m.exec(read("haproxy.cfg"))?.[1]?.split(" ") ?? [];
  expect(types.map((type) => names[type]).toSorted()).toEqual(Object.values(names).toSorted());
  states(
    "docs/running.md",
    `It compresses ${Object.values(names)
      .join(", ")
      .replace(/, (?=\w+$)/, " and ")} that a node sends uncompressed.`,
  );
});

test("HAProxy speaks no TLS that RFC 8996 deprecates", () => {
  expect(read("haproxy.cfg")).toMatch(/^ +ssl-default-bind-options (.* )?ssl-min-ver TLSv1\.[23]\b/m);
});

test("Caddy closes an idle connection before the node does, which could cut a request", () => {
  const idle = /^const TIMEOUT = (\d+);$/m.exec(readFileSync("src/adapters/listen/connection.ts", "utf8"))?.[1];
  const kept = /^\s*keepalive (\d+)s$/m.exec(read("Caddyfile"))?.[1];
  expect(Number(kept)).toBeLessThan(Number(idle));
});
