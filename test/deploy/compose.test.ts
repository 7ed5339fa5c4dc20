import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import manifest from "../../package.json" with { type: "json" };
import { backupVariables } from "../../src/wiring/backups/config.ts";
import { readConfig } from "../../src/wiring/config.ts";
import { states } from "../support/markdown.ts";
import { problemsOfCompose } from "./schemas/problems.ts";

const DEPLOY = join(import.meta.dir, "../../deploy");
const IMAGE = `petstore:${manifest.version}`;
const read = (path: string) => readFileSync(join(DEPLOY, path), "utf8");
const variablesOf = (path: string) => new Set([...read(path).matchAll(/\bPETSTORE_[A-Z_]+/g)].map(([name]) => name));

const Names = z.union([z.array(z.string()), z.record(z.string(), z.unknown()).transform(Object.keys)]).default([]);
const Environment = z.record(z.string(), z.union([z.string(), z.number()])).default({});
const Service = z.looseObject({
  image: z.string(),
  user: z.string().optional(),
  cap_drop: z.array(z.string()).default([]),
  cap_add: z.array(z.string()).default([]),
  security_opt: z.array(z.string()).default([]),
  environment: Environment,
  networks: Names,
  depends_on: Names,
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  configs: z.array(z.object({ source: z.string(), target: z.string() })).default([]),
});
const Sections = z.record(z.string(), z.unknown()).default({});
const Compose = z.object({
  name: z.string(),
  services: z.record(z.string(), Service),
  networks: Sections,
  volumes: Sections,
  configs: Sections,
});

/** A Compose file: as it is, and what the tests read of it. */
function composeFile(name: string) {
  const document: unknown = parse(read(name), { merge: true });
  const { services, ...sections } = Compose.parse(document);
  const all = Object.entries(services);
  return { document, services, ...sections, all, nodes: all.filter(([, { image }]) => image === IMAGE) };
}

/** The settings of a node, after the substitution of variables. */
function configOf({ environment }: Pick<z.infer<typeof Service>, "environment">) {
  const filledIn = (value: string | number) =>
    String(value)
      .replace(/\$\{([A-Z_]+):\?\}/g, (_, name) => `${name.toLowerCase().replaceAll("_", "-")}.example`)
      .replace(/\$\{[A-Z_0-9]+:-\}/g, "");
  return readConfig(Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, filledIn(value)])));
}

const large = composeFile("compose.yaml");
const small = composeFile("compose.small.yaml");

describe.each([
  ["compose.yaml", large],
  ["compose.small.yaml", small],
])("%s", (_, { document, services, all, nodes, networks, volumes, configs }) => {
  test("follows the Compose Specification", () => {
    expect(problemsOfCompose(document)).toEqual([]);
  });

  test("is refused with a misspelled field in any service", () => {
    for (const [name] of all) {
      const changed = structuredClone(document);
      Object.assign(Object(changed).services[name], { enviroment: {} });
      expect(problemsOfCompose(changed)).not.toEqual([]);
    }
  });

  test.each(nodes)("%s has the memory that a node needs under load", (_, service) => {
    const [, size, unit] = /^(\d+)([mg])$/.exec(String(service.mem_limit)) ?? [];
    expect(Number(size) * (unit === "g" ? 1_024 : 1)).toBeGreaterThanOrEqual(384);
  });

  test.each(all)("%s refers only to what exists", (_, service) => {
    expect(service.networks.filter((name) => !(name in networks))).toEqual([]);
    expect(service.depends_on.filter((name) => !(name in services))).toEqual([]);
    expect(service.configs.map(({ source }) => source).filter((name) => !(name in configs))).toEqual([]);
    // Compose copies a text into the container, which it refuses for one with a read-only file system.
    expect(service.configs.length > 0 && service.read_only === true).toBe(false);
    expect(service).not.toHaveProperty("secrets");
    for (const volume of service.volumes) {
      const [source = ""] = volume.split(":");
      // The operator's own, which .gitignore keeps out.
      if (source === "./certificate.pem") continue;
      expect([source, source.startsWith(".") ? existsSync(join(DEPLOY, source)) : source in volumes]).toEqual([
        source,
        true,
      ]);
    }
  });

  test.each(all)("%s has an image with a tag of one release, bounded memory and bounded logs", (_, service) => {
    expect(service.image).toMatch(/^[a-z0-9./-]+:v?\d+(\.\d+)*$/);
    expect([service.restart, typeof service.mem_limit]).toEqual(["unless-stopped", "string"]);
    expect(service.logging).toEqual({ driver: "local" });
  });

  test("each node runs without privileges, and shares a network with its proxy, the only one that it trusts", () => {
    expect(networks.inside).toMatchObject({ internal: true });
    const [subnet] = z
      .object({ ipam: z.object({ config: z.array(z.object({ subnet: z.string() })) }) })
      .parse(networks.inside).ipam.config;
    for (const [, node] of nodes) {
      expect(node).toMatchObject({ user: "nonroot", read_only: true, cap_drop: ["ALL"], cap_add: [] });
      expect(node.security_opt).toContain("no-new-privileges:true");
      expect(node.networks).toContain("inside");
      expect(node.environment.PETSTORE_TRUSTED_PROXIES).toBe(subnet?.subnet ?? "");
    }
  });

  test("each node has the time that it needs to stop, and file descriptors for its connections", () => {
    for (const [, node] of nodes) {
      // It ends at most 10 s after the signal (docs/running.md).
      expect(secondsOf(node.stop_grace_period)).toBeGreaterThan(10);
      expect(node.ulimits).toEqual({ nofile: 65_536 });
    }
  });

  test("a node's console is published at its own port, to this machine alone", () => {
    states(
      "docs/deploy.md",
      "`http://127.0.0.1:8081/console` | production's console",
      "`http://127.0.0.1:8091/console` | staging's console",
      "The console is at `http://127.0.0.1:8081/console` on the machine itself.",
    );
    for (const [, node] of nodes) {
      const { admin } = configOf(node);
      expect(admin?.host).toBe("0.0.0.0");
      // Several nodes of a deployment have the same console.
      if (node.ports.length > 0) expect(node.ports).toEqual([`127.0.0.1:${admin?.port}:${admin?.port}`]);
      // Docker publishes nothing from a network that is internal.
      if (node.ports.length > 0) expect(node.networks).toContain("operators");
    }
    expect(nodes.filter(([, { ports }]) => ports.length > 0).length).toBeGreaterThan(0);
  });

  test("any node reaches the receivers of webhooks, and the stores have no way outside", () => {
    states("docs/deploy.md", "Only HAProxy is reachable from other machines.");
    states("docs/deploy.md", "PostgreSQL and Valkey have no way outside; nodes have one, for webhooks.");
    const leads = (names: string[]) =>
      names.filter((name) => z.looseObject({}).parse(networks[name] ?? {}).internal !== true);
    for (const [name, node] of nodes) expect([name, leads(node.networks).length > 0]).toEqual([name, true]);
    for (const store of ["postgres", "valkey"]) expect(leads(services[store]?.networks ?? [])).toEqual([]);
  });

  test("it contains no password", () => {
    states("docs/deploy.md", "No password is in the files.");
    const values = all.flatMap(([, { environment }]) => Object.entries(environment));
    for (const [name, value] of values) {
      const inUrl = [...String(value).matchAll(/\/\/[^:/]*:(.*)@/g)].map(([, password]) => password);
      const passwords = /(PASSWORD|SECRET_ACCESS_KEY)$/.test(name) ? [value] : inUrl;
      for (const password of passwords) expect(password).toMatch(/^\$\{[A-Z_]+:[?-]\}$/);
    }
  });
});

const secondsOf = (time: unknown) => Number(/^(\d+)s$/.exec(String(time))?.[1]);
/** In MiB. */
const sizeOf = (text: unknown) => {
  const [, count, unit] = /^(\d+)([mg])b?$/.exec(String(text)) ?? [];
  return Number(count) * (unit === "g" ? 1024 : 1);
};

describe("compose.yaml", () => {
  const { services, all, nodes, volumes } = large;

  test("nodes start when PostgreSQL has both databases, and Valkey answers", () => {
    const { postgres, valkey, "production-one": node, staging } = services;
    const ready = { condition: "service_healthy" };
    expect(Object(large.document).services["production-one"].depends_on).toEqual({ postgres: ready, valkey: ready });
    for (const [name, used] of [
      ["production", node],
      ["staging", staging],
    ] as const) {
      expect(new URL(String(used?.environment.DATABASE_URL).replace(/\$\{.*?\}/, "p")).pathname).toBe(`/${name}`);
    }
    expect(postgres?.environment.POSTGRES_DB).toBe("production");
    expect(Object(large.document).configs["staging-database"].content).toBe("CREATE DATABASE staging;");
    // The last of them that its initialization creates.
    const [, ...check] = z.array(z.string()).parse(Object(postgres?.healthcheck).test);
    expect(check.slice(0, 3)).toEqual(["pg_isready", "--host", "127.0.0.1"]);
    expect(check.slice(-2)).toEqual(["--dbname", "staging"]);
    expect(Object(valkey?.healthcheck).test).toEqual(["CMD", "valkey-cli", "ping"]);
  });

  test("what databases keep is on volumes, and PostgreSQL has the time for its last checkpoint", () => {
    states(
      "docs/deploy.md",
      "Those in `deploy/.env` count for the first start: PostgreSQL and Grafana keep theirs on their volumes.",
    );
    states("docs/deploy.md", "PostgreSQL and Grafana keep theirs on their volumes.");
    const kept = {
      postgres: "/var/lib/postgresql",
      valkey: "/data",
      prometheus: "/prometheus",
      grafana: "/var/lib/grafana",
    };
    for (const [name, path] of Object.entries(kept)) expect(services[name]?.volumes).toContain(`${name}:${path}`);
    expect(Object.keys(volumes)).toEqual(Object.keys(kept));
    expect(secondsOf(services.postgres?.stop_grace_period)).toBeGreaterThanOrEqual(30);
  });

  test("Valkey keeps all counters: it evicts none, writes them each second, and has memory to write its log anew", () => {
    states(
      "docs/running.md",
      "Counts live for a day: turn on `appendonly` (a crash then loses at most a second), and `noeviction`.",
    );
    const { valkey } = services;
    const [program, ...options] = z.array(z.string()).parse(valkey?.command);
    const given = Object.fromEntries(options.flatMap((name, at) => (at % 2 === 0 ? [[name, options[at + 1]]] : [])));
    expect(program).toBe("valkey-server");
    expect(given).toMatchObject({
      "--appendonly": "yes",
      "--appendfsync": "everysec",
      "--maxmemory-policy": "noeviction",
    });
    expect(2 * sizeOf(given["--maxmemory"])).toBeLessThanOrEqual(sizeOf(valkey?.mem_limit));
    expect(sizeOf(given["--maxmemory"])).toBeGreaterThan(0);
  });

  test("HAProxy listens where its ports are published, has its certificate, and is checked at its own port", () => {
    states(
      "docs/deploy.md",
      "HAProxy's user, 99, must be able to read `deploy/certificate.pem`.",
      "HAProxy with your certificate, Prometheus with the alerts, and Grafana with the dashboard.",
    );
    const { haproxy } = services;
    const { PETSTORE_BIND, PETSTORE_BIND_PLAIN, PETSTORE_CERTIFICATE } = haproxy?.environment ?? {};
    expect(haproxy?.ports).toEqual([`443${PETSTORE_BIND}`, `80${PETSTORE_BIND_PLAIN}`]);
    expect(haproxy?.volumes).toEqual([
      "./haproxy.cfg:/usr/local/etc/haproxy/haproxy.cfg:ro",
      "./haproxy-errors:/usr/local/etc/haproxy/haproxy-errors:ro",
      `./certificate.pem:${PETSTORE_CERTIFICATE}:ro`,
    ]);
    expect(JSON.stringify(haproxy?.healthcheck)).toContain(
      `/dev/tcp/127.0.0.1/${String(PETSTORE_BIND_PLAIN).slice(1)}`,
    );
    expect(haproxy?.ulimits).toEqual({ nofile: 32_768 });
    expect(haproxy?.networks).toEqual(["inside", "outside"]);
    expect(haproxy?.depends_on).toEqual(nodes.map(([name]) => name));
  });

  test("Prometheus and Grafana are checked at the ports that they publish, and keep what fits their disk", () => {
    states(
      "docs/deploy.md",
      "Prometheus; `/alerts` shows what is wrong",
      "Alerts are shown, and not sent: add your Alertmanager to prometheus.compose.yml.",
    );
    states("docs/deploy.md", "its home page is the dashboard");
    const { prometheus, grafana } = services;
    for (const service of [prometheus, grafana]) {
      const [published = ""] = service?.ports ?? [];
      expect(JSON.stringify(service?.healthcheck)).toContain(`http://127.0.0.1:${published.split(":").at(-1)}/`);
    }
    expect(prometheus?.command).toEqual(
      expect.arrayContaining([
        "--storage.tsdb.path=/prometheus",
        "--storage.tsdb.retention.time=30d",
        "--storage.tsdb.retention.size=4GB",
      ]),
    );
    expect(prometheus?.volumes).toContain("./prometheus:/etc/prometheus:ro");
    expect(prometheus?.networks).toEqual(["inside", "operators"]);
    expect(grafana?.environment.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH).toBe("/etc/petstore/dashboard.json");
    expect(grafana?.tmpfs).toEqual(["/tmp"]);
  });

  test("only HAProxy is reachable from outside", () => {
    states(
      "docs/deploy.md",
      "Only HAProxy is reachable from other machines.",
      "`http://127.0.0.1:8081/console` | production's console |",
      "`http://127.0.0.1:8091/console` | staging's console |",
      "`http://127.0.0.1:9090` | Prometheus;",
    );
    const ports = all.filter(([, service]) => service.ports.length > 0).map(([name, service]) => [name, service.ports]);
    expect(ports).toEqual([
      ["production-one", ["127.0.0.1:8081:8081"]],
      ["staging", ["127.0.0.1:8091:8091"]],
      ["haproxy", ["443:8443", "80:8080"]],
      ["prometheus", ["127.0.0.1:9090:9090"]],
      ["grafana", ["127.0.0.1:3000:3000"]],
    ]);
  });

  test("every node has valid settings; deployments share neither database nor counters", () => {
    states(
      "docs/deploy.md",
      "deploy/compose.yaml runs two nodes of production and one of staging, PostgreSQL, Valkey, HAProxy with your certificate, Prometheus",
    );
    expect(nodes.map(([name]) => name)).toEqual(["production-one", "production-two", "staging"]);
    states(
      "docs/deploy.md",
      "| one larger machine with Docker, and staging | the large Compose file: HAProxy, Prometheus, Grafana | PostgreSQL, Valkey | no |",
    );
    for (const name of ["haproxy", "prometheus", "grafana", "postgres", "valkey"])
      expect(Object.keys(services)).toContain(name);
    const [one, two, staging] = nodes.map(([, node]) => configOf(node));
    expect(two).toEqual(one);
    expect(one).toMatchObject({ deployment: "production", nodes: 2, host: "0.0.0.0", port: 8080 });
    expect(staging).toMatchObject({ deployment: "staging", nodes: 1 });
    expect(staging?.database).not.toEqual(one?.database);
    expect(staging?.redisUrl).not.toBe(one?.redisUrl);
    expect(staging?.baseUrls).toEqual(one?.baseUrls);
  });

  test("HAProxy gets all variables of its configuration, and existing nodes", () => {
    states(
      "docs/deploy.md",
      "To replace the nodes one after the other: `up --build --detach --no-deps production-one`, then `production-two`.",
    );
    const environment = services.haproxy?.environment ?? {};
    expect(new Set(Object.keys(environment))).toEqual(variablesOf("haproxy.cfg"));
    const addresses = Object.entries(environment).filter(([name]) => name.includes("_NODE"));
    expect(addresses.map(([, address]) => address)).toEqual(nodes.map(([name]) => `${name}:8080`));
  });

  test("Prometheus scrapes every node, by a name that the node answers to", () => {
    const configuration = parse(read("prometheus/prometheus.compose.yml"));
    const [{ static_configs: targets }] = configuration.scrape_configs;
    const scraped = targets.flatMap((group: { targets: string[]; labels: { deployment: string } }) => {
      return group.targets.map((target) => [group.labels.deployment, target]);
    });
    const expected = nodes.map(([name, node]) => {
      const { deployment, admin, adminHosts } = configOf(node);
      expect(adminHosts).toContain(name);
      return [deployment, `${name}:${admin?.port}`];
    });
    expect(scraped).toEqual(expected);
    expect(services.prometheus?.command).toContain("--config.file=/etc/prometheus/prometheus.compose.yml");
  });

  test("Grafana finds Prometheus and the dashboard, and gets no default password", () => {
    states("docs/deploy.md", "`http://127.0.0.1:3000` | Grafana, for the user `admin` with `GRAFANA_PASSWORD`");
    const { datasources } = parse(read("grafana/provisioning/datasources/prometheus.yaml"));
    const { providers } = parse(read("grafana/provisioning/dashboards/petstore.yaml"));
    expect(datasources).toMatchObject([{ type: "prometheus", url: "http://prometheus:9090", isDefault: true }]);
    const mounted = services.grafana?.volumes ?? [];
    expect(mounted).toContain(`./grafana/dashboard.json:${providers[0].options.path}/dashboard.json:ro`);
    expect(mounted).toContain("./grafana/provisioning:/etc/grafana/provisioning:ro");
    expect(services.grafana?.environment.GF_SECURITY_ADMIN_PASSWORD).toMatch(/^\$\{GRAFANA_PASSWORD:\?\}$/);
    const user = String(services.grafana?.environment.GF_SECURITY_ADMIN_USER ?? "admin");
    for (const text of [read("compose.yaml"), read("../docs/deploy.md")])
      expect(/for the user `?(\w+)`? with/.exec(text)?.[1]).toBe(user);
  });
});

describe("compose.small.yaml", () => {
  const { services, all, nodes, volumes } = small;

  test("Caddy keeps its certificates, may listen below 1024, and waits for the node", () => {
    states(
      "docs/deploy.md",
      "runs one node with SQLite, and Caddy in front of it, which obtains its certificate by itself.",
      "Restart Caddy after a change:",
    );
    expect(services.caddy).toMatchObject({ cap_drop: ["ALL"], cap_add: ["NET_BIND_SERVICE"], read_only: true });
    expect(services.caddy?.volumes).toEqual([
      "./Caddyfile:/etc/caddy/Caddyfile:ro",
      "caddy:/data",
      "caddy-configuration:/config",
    ]);
    expect(Object.keys(volumes)).toEqual(["petstore", "caddy", "caddy-configuration"]);
    expect(services.caddy?.networks).toEqual(["inside", "outside"]);
    expect(Object(small.document).services.caddy.depends_on).toEqual({ petstore: { condition: "service_healthy" } });
    expect(services.caddy?.ulimits).toEqual({ nofile: 65_536 });
  });

  test("the node makes a backup each day, and copies it to the bucket that the operator names", () => {
    states(
      "docs/deploy.md",
      "A backup is made every day, in `/data/backups` on the volume. `PETSTORE_BACKUP_S3` and the variables of S3 in `deploy/.env` have each copied to a bucket.",
    );
    states(
      "docs/deploy.md",
      "A backup is made every day",
      "`PETSTORE_BACKUP_S3` and the variables of S3 in `deploy/.env` have each copied to a bucket.",
    );
    const { environment } = services.petstore ?? {};
    const given = {
      ...environment,
      PETSTORE_BACKUP_S3: "s3://backups",
      AWS_ACCESS_KEY_ID: "a",
      AWS_SECRET_ACCESS_KEY: "b",
    };
    const { backups } = configOf({ environment: given });
    expect(backups).toMatchObject({ every: 86_400_000, s3: { bucket: "backups" } });
    const ofBucket = Object.keys(backupVariables).filter((name) => name.startsWith("AWS_"));
    expect(ofBucket).toContain("AWS_SESSION_TOKEN");
    for (const name of ["PETSTORE_BACKUP_S3", ...ofBucket]) {
      expect([name, environment?.[name]]).toEqual([name, `\${${name}:-}`]);
    }
  });

  test("one node of production keeps its SQLite database on a volume", () => {
    states(
      "docs/deploy.md",
      "deploy/compose.small.yaml runs one node with SQLite, and Caddy in front of it",
      "one machine with Docker | the small Compose file: one node, Caddy with TLS",
    );
    const [[, node] = ["", undefined]] = nodes;
    if (node === undefined) throw new Error("There is no node.");
    expect(nodes).toHaveLength(1);
    expect(node.environment.DATABASE_URL).toBeUndefined();
    expect(read("Containerfile")).toContain("DATABASE_URL=sqlite:/data/petstore.db");
    expect(node.volumes).toEqual(["petstore:/data"]);
    expect(configOf(node)).toMatchObject({ deployment: "production", redisUrl: undefined });
  });

  test("only Caddy is reachable from outside, with all variables that it needs", () => {
    states("docs/deploy.md", "and its ports 80 and 443.");
    const outside = all.filter(([, { ports }]) => ports.some((port) => !port.startsWith("127.0.0.1:")));
    expect(outside.map(([name]) => name)).toEqual(["caddy"]);
    expect(services.caddy?.ports).toEqual(["80:80", "443:443", "443:443/udp"]);
    const given = Object.keys(services.caddy?.environment ?? {});
    // Without a default in the Caddyfile.
    expect(given).toContain("PETSTORE_HOST");
    expect(given.filter((name) => !variablesOf("Caddyfile").has(name))).toEqual([]);
    expect(services.caddy?.environment.PETSTORE_NODE).toBe("petstore:8080");
    expect(services.caddy?.volumes).toContain("./Caddyfile:/etc/caddy/Caddyfile:ro");
  });

  test("runs beside the large one: no name and no network in common", () => {
    const subnets = [large, small].map(({ networks }) => JSON.stringify(networks.inside));
    expect(subnets[0]).not.toBe(subnets[1]);
    expect(Object(small.document).name).not.toBe(Object(large.document).name);
  });
});
