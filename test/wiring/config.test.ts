import { describe, expect, test } from "bun:test";
import { resolve } from "node:path";
import fc from "fast-check";
import {
  databaseNameOf,
  linksMislead,
  listeningOn,
  misspeltVariables,
  readConfig,
  variables,
} from "../../src/wiring/config.ts";
import { ConfigError } from "../../src/wiring/config-schemas.ts";
import { holds } from "../support/holds.ts";
import { states } from "../support/markdown.ts";

const VARIABLES = variables.map(({ name }) => name);

/** The problems that are found in this environment, none when it is good. */
function mistakesIn(environment: Record<string, string | undefined>): string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

test("an empty environment gives the defaults", () => {
  states(
    "docs/upgrading.md",
    "To uninstall, stop the service and delete its directory. Everything that it stores is below `data/` in the directory where it was started, unless you set `DATABASE_URL` or `PETSTORE_BACKUP_DIR`.",
  );
  states("SECURITY.md", "API keys in transit | The service speaks HTTP on the loopback address");
  states(
    "docs/monitoring.md",
    "By default, anyone who reaches the listener may read the metrics.",
    "The service keeps what its last requests did: 100,000 of them, for 24 hours",
  );
  states("docs/data.md", "By default the service keeps orders, keys and the audit log for ever.");
  states("docs/running.md", "The service speaks plain HTTP and listens on the loopback address.");
  const { settings, ...config } = readConfig({});
  expect(settings.map(({ name, source }) => [name, source])).toEqual(variables.map(({ name }) => [name, "default"]));
  expect(config).toEqual({
    host: "127.0.0.1",
    port: 8080,
    admin: { host: "127.0.0.1", port: 8081 },
    provider: undefined,
    adminHosts: ["127.0.0.1"],
    database: { engine: "sqlite", path: resolve("data/petstore.db") },
    backups: { directory: resolve("data/backups"), every: undefined, keep: 7, s3: undefined },
    redisUrl: undefined,
    nodes: 1,
    deployment: "production",
    baseUrls: { production: "http://127.0.0.1:8080/v1", staging: "http://127.0.0.1:8090/v1" },
    trustedProxies: [],
    corsOrigins: [],
    logLevel: "info",
    logRequests: false,
    requestHistory: { requests: 100_000, hours: 24, share: 1 },
    events: { days: 30, most: 10_000_000 },
    retention: { orders: undefined, keys: undefined, audit: undefined },
    webhookHosts: [],
    checksCategories: false,
    hasAccount: true,
    hasMcp: true,
    orderExpiry: undefined,
    addressLimit: 300,
    metricsAccess: "anyone",
    tracing: undefined,
  });
});

test("an empty or blank variable counts as not set", () => {
  for (const text of ["docs/settings.md", ".env.example"]) states(text, "An empty variable counts as not set.");
  for (const blank of ["", " ", "\t"]) {
    expect(readConfig(Object.fromEntries(VARIABLES.map((name) => [name, blank])))).toEqual(readConfig({}));
  }
});

test("a server's URL selects PostgreSQL, another Redis", () => {
  const config = readConfig({
    DATABASE_URL: "postgres://petstore:secret@db.example.com:5432/petstore?sslmode=verify-full",
    PETSTORE_DATABASE_POOL: "20",
    REDIS_URL: "rediss://:secret@cache.example.com:6380/1",
    PETSTORE_NODES: "4",
  });
  expect(config.database).toEqual({
    engine: "postgres",
    url: "postgres://petstore:secret@db.example.com:5432/petstore?sslmode=verify-full",
    poolSize: 20,
  });
  expect(databaseNameOf(config.database)).toBe("postgres://db.example.com:5432/petstore");
  expect(config).toMatchObject({ redisUrl: "rediss://:secret@cache.example.com:6380/1", nodes: 4 });
});

test("clients read from standbys if both settings say so, and only with PostgreSQL", () => {
  states(
    "docs/settings.md",
    "They are used if `PETSTORE_REPLICA_READS` is set.",
    "`off` reads everything from the primary.",
  );
  states("docs/scaling.md", "By default the service reads from the primary");
  const [DATABASE_URL, DATABASE_REPLICA_URL] = ["postgres://a/petstore", "postgres://b,c:5433/petstore"];
  const replicas = (env: Record<string, string>) => readConfig(env).database;
  const both = { DATABASE_URL, DATABASE_REPLICA_URL, PETSTORE_REPLICA_READS: "2s" };
  expect(replicas(both)).toMatchObject({ replicas: { url: DATABASE_REPLICA_URL, maxAge: 2_000 } });
  expect(replicas({ ...both, PETSTORE_REPLICA_READS: "off" })).toMatchObject({ replicas: undefined });
  expect(replicas({ DATABASE_URL, DATABASE_REPLICA_URL })).toMatchObject({ replicas: undefined });
  expect(mistakesIn({ DATABASE_URL, PETSTORE_REPLICA_READS: "2s" })).toEqual([
    "PETSTORE_REPLICA_READS needs DATABASE_REPLICA_URL.",
  ]);
  expect(mistakesIn({ DATABASE_REPLICA_URL })).toEqual([
    "DATABASE_REPLICA_URL needs a PostgreSQL server in DATABASE_URL.",
  ]);
});

test("a provider needs an issuer and a client id, and its secret is shown to nobody", () => {
  states(
    "docs/settings.md",
    "The id that the provider gave to this service. It needs the issuer.",
    "The values of that claim that make an admin, separated by commas.",
    "The same for a viewer.",
    "The scopes that the service asks the provider for, separated by commas.",
  );
  states(
    "docs/administration.md",
    "`PETSTORE_OIDC_SCOPE` | The scopes that the service asks for, by default `openid,email,profile`.",
  );
  const [PETSTORE_OIDC_ISSUER, PETSTORE_OIDC_CLIENT_ID] = ["https://login.example.com/realms/staff", "petstore"];
  const PETSTORE_OIDC_CLIENT_SECRET = "the secret";
  const given = { PETSTORE_OIDC_ISSUER, PETSTORE_OIDC_CLIENT_ID };
  const roles = { claim: "roles", admins: ["petstore-admin"], viewers: ["petstore-viewer"] };
  const provider = { issuer: PETSTORE_OIDC_ISSUER, clientId: "petstore", clientSecret: undefined, roles };
  expect(readConfig(given).provider).toEqual({ ...provider, scope: "openid email profile" });
  const whole = readConfig({
    ...given,
    PETSTORE_OIDC_CLIENT_SECRET,
    PETSTORE_OIDC_ROLE_CLAIM: "groups",
    PETSTORE_OIDC_ADMINS: "a, b",
    PETSTORE_OIDC_VIEWERS: "c",
    PETSTORE_OIDC_SCOPE: "groups openid",
  });
  const others = { claim: "groups", admins: ["a", "b"], viewers: ["c"] };
  const scope = "groups openid";
  expect(whole.provider).toEqual({ ...provider, clientSecret: PETSTORE_OIDC_CLIENT_SECRET, scope, roles: others });
  expect(JSON.stringify(whole.settings)).not.toContain(PETSTORE_OIDC_CLIENT_SECRET);
  expect(mistakesIn({ PETSTORE_OIDC_ISSUER })).toEqual([
    "PETSTORE_OIDC_ISSUER needs PETSTORE_OIDC_CLIENT_ID, the id that the provider gave to this service.",
  ]);
  expect(mistakesIn({ PETSTORE_OIDC_CLIENT_ID, PETSTORE_OIDC_CLIENT_SECRET })).toEqual([
    "PETSTORE_OIDC_CLIENT_ID needs PETSTORE_OIDC_ISSUER, the issuer of the OpenID provider.",
    "PETSTORE_OIDC_CLIENT_SECRET needs PETSTORE_OIDC_ISSUER, the issuer of the OpenID provider.",
  ]);
  for (const issuer of ["http://localhost:3000", "http://[::1]:3000/x", "http://127.0.0.2"]) {
    expect(readConfig({ ...given, PETSTORE_OIDC_ISSUER: issuer }).provider?.issuer).toBe(issuer);
  }
  for (const issuer of [
    "http://login.example.com",
    "http://localhost.example.com",
    "http://127.0.0.1.example.com",
    "https://user@login.example.com",
    "https://login.example.com/?a=b",
    "https://login.example.com/.well-known/openid-configuration",
    "login.example.com",
    "javascript:alert(1)",
  ]) {
    expect(mistakesIn({ ...given, PETSTORE_OIDC_ISSUER: issuer })).toEqual([
      expect.stringMatching(/^PETSTORE_OIDC_ISSUER must be the issuer of an OpenID provider/),
    ]);
  }
  for (const PETSTORE_OIDC_SCOPE of ["email profile", 'openid "x"', "openid_connect"]) {
    expect(mistakesIn({ ...given, PETSTORE_OIDC_SCOPE })).toEqual([
      expect.stringMatching(/^PETSTORE_OIDC_SCOPE must be scopes, separated by commas/),
    ]);
  }
});

test("every variable is read", () => {
  states(
    "docs/settings.md",
    "IP addresses and ranges, separated by commas.",
    "Origins of web pages that may call the service from a browser, separated by commas.",
  );
  const config = readConfig({
    HOST: "0.0.0.0",
    PORT: "9000",
    PETSTORE_ADMIN_HOST: "::1",
    PETSTORE_ADMIN_PORT: "9001",
    PETSTORE_ADMIN_HOSTS: "Console.example.com, petstore-admin",
    DATABASE_URL: "sqlite:/var/lib/petstore/pets.db",
    PETSTORE_DEPLOYMENT: "staging",
    PETSTORE_BASE_URL: "https://api.example.com/v1",
    PETSTORE_STAGING_BASE_URL: "https://staging.example.com/petstore/v1",
    PETSTORE_TRUSTED_PROXIES: "10.0.0.0/8, ::1",
    PETSTORE_CORS_ORIGINS: "https://shop.example.com, http://localhost:3000",
    PETSTORE_LOG_LEVEL: "debug",
    PETSTORE_REQUEST_LOG: "true",
    PETSTORE_ADDRESS_LIMIT: "10",
    PETSTORE_METRICS_ACCESS: "operators",
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318",
    OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
    OTEL_TRACES_SAMPLER_ARG: "0.25",
    PETSTORE_NODES: "2",
    PETSTORE_REQUEST_HISTORY: "3",
    PETSTORE_REQUEST_HISTORY_HOURS: "4",
    PETSTORE_REQUEST_HISTORY_SHARE: "0.5",
    PETSTORE_EVENTS_DAYS: "6",
    PETSTORE_EVENTS_MAX: "7",
    PETSTORE_ORDERS_DAYS: "8",
    PETSTORE_KEYS_DAYS: "9",
    PETSTORE_AUDIT_DAYS: "11",
    PETSTORE_ORDER_EXPIRY: "12s",
    PETSTORE_WEBHOOK_HOSTS: "Receiver.internal",
  });
  expect(config).toMatchObject({
    nodes: 2,
    requestHistory: { requests: 3, hours: 4, share: 0.5 },
    events: { days: 6, most: 7 },
    retention: { orders: 8, keys: 9, audit: 11 },
    orderExpiry: 12_000,
    webhookHosts: ["receiver.internal"],
    host: "0.0.0.0",
    port: 9000,
    admin: { host: "::1", port: 9001 },
    adminHosts: ["::1", "console.example.com", "petstore-admin"],
    database: { engine: "sqlite", path: "/var/lib/petstore/pets.db" },
    deployment: "staging",
    baseUrls: { production: "https://api.example.com/v1", staging: "https://staging.example.com/petstore/v1" },
    corsOrigins: ["https://shop.example.com", "http://localhost:3000"],
    logLevel: "debug",
    logRequests: true,
    addressLimit: 10,
    metricsAccess: "operators",
    tracing: { endpoint: "http://127.0.0.1:4318", sampler: "parentbased_traceidratio", ratio: 0.25 },
  });
  expect(config.trustedProxies.map(([address, bits]) => `${address}/${bits}`)).toEqual(["10.0.0.0/8", "::1/128"]);
});

test("each switch switches what it is for, and nothing else", () => {
  const switches = { PETSTORE_CATEGORY_CHECK: "checksCategories", PETSTORE_ACCOUNT_PAGE: "hasAccount" } as const;
  const others = { PETSTORE_MCP: "hasMcp", PETSTORE_REQUEST_LOG: "logRequests" } as const;
  for (const [name, member] of Object.entries({ ...switches, ...others })) {
    const values = name === "PETSTORE_REQUEST_LOG" ? ["true", "false"] : ["on", "off"];
    const [on, off] = values.map((value) => {
      const { settings, ...config } = readConfig({ [name]: value });
      return config;
    });
    expect([name, on?.[member]]).toEqual([name, true]);
    expect(off).toEqual(Object.assign({}, on, { [member]: false }));
  }
});

test("a name as the address of the administration interface is one that it answers to, in lower case", () => {
  states(
    "docs/administration.md",
    "The listener answers to IP addresses, `localhost`, the value of `PETSTORE_ADMIN_HOST`",
  );
  expect(readConfig({ PETSTORE_ADMIN_HOST: "Admin.Internal" }).adminHosts).toContain("admin.internal");
});

test("by default a deployment's base URL is the address that it listens on", () => {
  states(
    "docs/upgrading.md",
    "Links in responses name the wrong host | The base address is not set. | Set `PETSTORE_BASE_URL`.",
  );
  states(
    "docs/settings.md",
    "On production the default follows `HOST` and `PORT`.",
    "The same for staging. On staging the default follows `HOST` and `PORT`.",
  );
  const own = { production: "http://127.0.0.1:9000/v1", staging: "http://127.0.0.1:8090/v1" };
  expect(readConfig({ PORT: "9000" }).baseUrls).toEqual(own);
  const staging = readConfig({ PORT: "9000", HOST: "::1", PETSTORE_DEPLOYMENT: "staging" });
  expect(staging.baseUrls).toEqual({ production: "http://127.0.0.1:8080/v1", staging: "http://[::1]:9000/v1" });
  for (const everywhere of ["0.0.0.0", "::"]) {
    expect(readConfig({ HOST: everywhere }).baseUrls.production).toBe("http://127.0.0.1:8080/v1");
  }
});

test("with PORT=0 the default base URL has the actual port, and a configured one stays", () => {
  const urls = (env: Record<string, string>) => listeningOn(readConfig({ PORT: "0", ...env }), 4711).baseUrls;
  expect(urls({})).toEqual({ production: "http://127.0.0.1:4711/v1", staging: "http://127.0.0.1:8090/v1" });
  expect(urls({ HOST: "::1", PETSTORE_DEPLOYMENT: "staging" })).toEqual({
    production: "http://127.0.0.1:8080/v1",
    staging: "http://[::1]:4711/v1",
  });
  expect(urls({ PETSTORE_BASE_URL: "https://api.example.com/v1" }).production).toBe("https://api.example.com/v1");
  expect(listeningOn(readConfig({ PORT: "9000" }), 9000)).toEqual(readConfig({ PORT: "9000" }));
});

test("a base URL is kept in its normal form", () => {
  states("docs/settings.md", "an absolute URL that ends in `/v1`.");
  const kept = (PETSTORE_BASE_URL: string) => readConfig({ PETSTORE_BASE_URL }).baseUrls.production;
  expect(kept("https://hé.example/é/v1")).toBe("https://xn--h-bga.example/%C3%A9/v1");
  expect(kept("HTTPS://API.example.com:443/a/../v1")).toBe("https://api.example.com/v1");
  for (const wrong of [
    "https://@h.example/v1",
    "https:/h.example/v1",
    "https://u:p@h.example/v1",
    "https://h.example/v1?a",
  ]) {
    expect(() => kept(wrong)).toThrow("PETSTORE_BASE_URL");
  }
});

test("links mislead clients where every address is listened on, and no base address is set", () => {
  states(
    "docs/monitoring.md",
    "`HOST` is every address of the machine, and no base address is set (on staging `PETSTORE_STAGING_BASE_URL`): `Link` and `Location` begin with `http://127.0.0.1`.",
  );
  const mislead = (env: Record<string, string>) => linksMislead(listeningOn(readConfig({ PORT: "0", ...env }), 4711));
  const base = "https://api.example.com/v1";
  const everywhere = ["0.0.0.0", "::", "0", "0:0:0:0:0:0:0:0", "::ffff:0.0.0.0"];
  expect(everywhere.filter((HOST) => !mislead({ HOST }))).toEqual([]);
  expect(["127.0.0.1", "192.0.2.7", "::1", "localhost"].map((HOST) => mislead({ HOST }))).toEqual(Array(4).fill(false));
  expect(mislead({ HOST: "0.0.0.0", PETSTORE_BASE_URL: base })).toBe(false);
  const staging = { HOST: "0.0.0.0", PETSTORE_DEPLOYMENT: "staging" };
  expect(mislead({ ...staging, PETSTORE_BASE_URL: base })).toBe(true);
  expect(mislead({ ...staging, PETSTORE_STAGING_BASE_URL: base })).toBe(false);
});

test("nothing that deployments must not share is the same by default", () => {
  states("docs/test-against-it.md", "staging: the same build with its own address, keys and pets");
  states(
    "docs/running.md",
    "Staging is a second service with `PETSTORE_DEPLOYMENT=staging`, such as a second unit.",
    "where you set `DATABASE_URL` or `PORT` for production, set others for staging.",
  );
  states("docs/running.md", "By default its ports are 8090 and 8091, and its database is `data/petstore-staging.db`");
  const staging = readConfig({ PETSTORE_DEPLOYMENT: "staging" });
  expect(staging).toMatchObject({
    port: 8090,
    admin: { port: 8091 },
    database: { engine: "sqlite", path: resolve("data/petstore-staging.db") },
    baseUrls: readConfig({}).baseUrls,
  });
});

test("operators are listened to at a port of their own for each deployment, or nowhere", () => {
  states(
    "docs/settings.md",
    "Address of the administration interface and the console.",
    "Port of the administration interface and the console; 8091 on staging. 0 takes any free port, `off` disables both.",
  );
  states("docs/running.md", "values of `PETSTORE_ADMIN_PORT`, or `off`.");
  expect(readConfig({ PETSTORE_DEPLOYMENT: "staging" }).admin).toEqual({ host: "127.0.0.1", port: 8091 });
  expect(readConfig({ PETSTORE_ADMIN_PORT: "0" }).admin).toEqual({ host: "127.0.0.1", port: 0 });
  expect(readConfig({ PETSTORE_ADMIN_PORT: "off" }).admin).toBeUndefined();
});

/** Values that each variable refuses. */
const WRONG: Record<string, string[]> = {
  PORT: ["-1", "65536", "80.0", "http", "0x50", "1e3", "99999999999", " 80"],
  PETSTORE_ADMIN_PORT: ["-1", "65536", "none", "OFF", " 8081"],
  DATABASE_URL: ["sqlite:", "sqlite::memory:", "data/petstore.db", "mysql://localhost/pets", "postgres://a:port/b"],
  PETSTORE_DATABASE_POOL: ["2", "1001", "ten"],
  DATABASE_REPLICA_URL: ["db:5432", "sqlite:pets.db", "postgres://", "postgres://a:port/b"],
  PETSTORE_REPLICA_READS: ["2", "999ms", "0s", "61m", "on", "-1s"],
  REDIS_URL: [
    "localhost:6379",
    "http://localhost",
    "redis://",
    "redis+other://a:1",
    "redis://:a@/0",
    "redis://a:b",
    "redis://a:1,b:2",
  ],
  PETSTORE_NODES: ["0", "-2", "two"],
  PETSTORE_DEPLOYMENT: ["Production", "test", "prod"],
  PETSTORE_BASE_URL: [
    "api.example.com/v1",
    "https://api.example.com",
    "https://api.example.com/v1/",
    "https://api.example.com/v2",
    "https://api.example.com/v1?x=/v1",
    "https://user:password@api.example.com/v1",
    "https://user@api.example.com/v1",
    "https://api.example.com/#/v1",
    "ftp://api.example.com/v1",
    "https://api example.com/v1",
    "https://api.example.com/a b/v1",
    "https://api.example.com:port/v1",
    "https://[::g]/v1",
  ],
  PETSTORE_STAGING_BASE_URL: ["/v1", "https://staging.example.com/v1\n"],
  PETSTORE_TRUSTED_PROXIES: ["10.0.0.0/33", "proxy.example.com", "10.0.0.0/8;::1", "::1/129", "10.0.0.0/"],
  PETSTORE_ADMIN_HOSTS: ["console.example.com:8081", "https://console.example.com", "*", "a..b", ".example.com", "a b"],
  PETSTORE_CORS_ORIGINS: [
    "shop.example.com",
    "https://shop.example.com/",
    "https://shop.example.com/x",
    "*",
    "null",
    "https://Shop.example.com",
    "https://shop.example.com:443",
  ],
  PETSTORE_LOG_LEVEL: ["INFO", "verbose"],
  PETSTORE_REQUEST_LOG: ["1", "yes", "TRUE"],
  PETSTORE_REQUEST_HISTORY_SHARE: ["1.1", "-0.5", "10%", "half"],
  PETSTORE_ORDERS_DAYS: ["0", "36501", "400d", "off", "-1", "1.5"],
  PETSTORE_KEYS_DAYS: ["0", "forever"],
  PETSTORE_AUDIT_DAYS: ["0", "KEEP"],
  PETSTORE_METRICS_ACCESS: ["all", "Operators", "none"],
  OTEL_EXPORTER_OTLP_ENDPOINT: ["127.0.0.1:4318", "grpc://127.0.0.1:4317", "http://", "http://a b"],
  OTEL_TRACES_SAMPLER: ["on", "ALWAYS_ON", "jaeger_remote"],
  OTEL_TRACES_SAMPLER_ARG: ["-0.1", "1.1", "half", "1e-2", "50%"],
  PETSTORE_RUNTIME: ["deno", "Bun"],
  PETSTORE_ADDRESS_LIMIT: ["0", "-5", "1.5", "unlimited", "1000000001"],
};

describe("an invalid value is reported with the variable and the rule:", () => {
  for (const [name, values] of Object.entries(WRONG)) {
    test.each(values)(`${name}=%j`, (value) => {
      const problems = mistakesIn({ [name]: value });
      expect(problems).toHaveLength(1);
      expect(problems[0]).toStartWith(`${name} must be `);
      expect(problems[0]).toEndWith(".");
    });
  }
});

describe("a URL whose password is not encoded is refused, without the password:", () => {
  const passwords = ["S3cret/Pw", "S3cret#Pw", "S3cret?Pw", "12/S3cret", "12#S3cret", "%ffS3cret"];
  const hosts = ["127.0.0.1:22201", "a:5432,b:5432"];
  const urls = passwords.flatMap((password) =>
    hosts.flatMap((host) => [
      ["DATABASE_URL", `postgres://pet:${password}@${host}/petstore`],
      ...["redis", "rediss", "redis+cluster", "redis+sentinel"].map((scheme) => [
        "REDIS_URL",
        `${scheme}://u:${password}@${host}/0`,
      ]),
    ]),
  );

  test.each(urls)("%s=%s", (name, url) => {
    states("docs/settings.md", "Percent-encode user and password in URLs.");
    const problems = mistakesIn({ [name]: url });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toStartWith(`${name} must be a URL `);
    expect(problems[0]).toContain("%2F for /");
    expect(problems[0]).not.toContain("S3cret");
  });
});

test.each([
  ["DATABASE_URL", "postgres:///petstore?host=/run/postgresql"],
  ["DATABASE_URL", "postgres://pet:S3cret@/petstore?host=/run/postgresql"],
  ["DATABASE_URL", "postgres://pet@%2Frun%2Fpostgresql/petstore"],
  ["DATABASE_URL", "postgresql://pet%40here:S3cret%2FPw@a:5432,[::1]:5432/petstore?user=pet@here"],
  ["DATABASE_URL", "postgres://pet:100%sure:p@ss@a,b/petstore"],
  ["DATABASE_URL", "sqlite:data/a#b@c/pets.db"],
  ["REDIS_URL", "redis:///1"],
  ["REDIS_URL", "rediss://:S3cret%2FPw%23@[::1]:6379/1?family=6"],
  ["REDIS_URL", "redis+cluster://u:S3cret%25@a:6379,b,[::1]:7000"],
  ["REDIS_URL", "redis+sentinel://a:26379,b:26379/pets"],
])("a URL that can be read is accepted: %s=%s", (name, url) => {
  states(
    "docs/settings.md",
    "or `postgres://user:password@host:5432/database`, also with several hosts, separated by commas.",
    "`redis://host:6379`, `rediss://` with TLS, `redis+cluster://` with hosts, `redis+sentinel://` with hosts and `/name`.",
  );
  expect(mistakesIn({ [name]: url })).toEqual([]);
});

test("the bounds that a refusal names are accepted, and what is beyond them is refused", () => {
  const refusals = (name: string, value: string) =>
    mistakesIn({ [name]: value }).filter((problem) => problem.startsWith(`${name} must be `));
  const bounded = VARIABLES.flatMap((name) => {
    const [, min, max] = /from (\d\w*) to (\d\w*)/.exec(refusals(name, "?")[0] ?? "") ?? [];
    return min === undefined || max === undefined || name.includes("_SHARE") ? [] : [{ name, min, max }];
  });
  expect(bounded.length).toBeGreaterThan(12);
  const stepped = (bound: string, by: bigint) => bound.replace(/^\d+/, (digits) => String(BigInt(digits) + by));
  for (const { name, min, max } of bounded) {
    expect([name, ...refusals(name, min), ...refusals(name, max)]).toEqual([name]);
    expect([name, refusals(name, stepped(max, 1n)).length]).toEqual([name, 1]);
    expect([name, refusals(name, stepped(min, -1n)).length]).toEqual([name, 1]);
  }
});

test("all problems are reported together", () => {
  const wrong = fc.uniqueArray(fc.constantFrom(...Object.keys(WRONG)), { minLength: 1 });
  holds(
    fc.property(wrong, fc.nat(), (names, pick) => {
      const environment = names.map((name) => [name, WRONG[name]?.[pick % WRONG[name].length] ?? ""]);
      const named = mistakesIn(Object.fromEntries(environment)).map((mistake) => mistake.split(" ")[0]);
      expect(named.sort()).toEqual([...names].sort());
    }),
  );
});

test("any environment is read, or its problems are reported", () => {
  const value = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.webUrl(), fc.ipV4(), fc.nat().map(String));
  holds(
    fc.property(fc.dictionary(fc.constantFrom(...VARIABLES, "PATH", "__proto__"), value), (environment) => {
      for (const mistake of mistakesIn(environment)) expect(VARIABLES).toContain(mistake.split(" ")[0] ?? "");
    }),
    1_000,
  );
});

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
