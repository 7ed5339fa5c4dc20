/** Each setting by itself: what it accepts, what it sets, and whether operators see its value. */
import { describe, expect, test } from "bun:test";
import { MAX_LIMIT } from "../../src/domain/limits/limits.ts";
import { readConfig, variables } from "../../src/wiring/config.ts";
import { ConfigError } from "../../src/wiring/config-schemas.ts";
import { codesIn } from "../support/markdown.ts";

/** What is said against a value. */
function refusalOf(name: string, value: string): string | undefined {
  try {
    readConfig({ [name]: value });
    return undefined;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.find((problem) => problem.startsWith(`${name} must be `));
  }
}

/** The least and the most that a setting accepts, as its refusal names them; config.test.ts shows that these are accepted. */
const BOUNDS: Record<string, [least: string, most: string]> = {
  PORT: ["0", "65535"],
  PETSTORE_ADMIN_PORT: ["0", "65535"],
  PETSTORE_DATABASE_POOL: ["3", "1000"],
  PETSTORE_REPLICA_READS: ["1s", "1h"],
  PETSTORE_BACKUP_EVERY: ["1m", "366d"],
  PETSTORE_BACKUP_KEEP: ["1", "1000"],
  PETSTORE_NODES: ["1", "10000"],
  PETSTORE_ADDRESS_LIMIT: ["1", String(MAX_LIMIT)],
  PETSTORE_ORDER_EXPIRY: ["1s", "365d"],
  PETSTORE_REQUEST_HISTORY: ["0", "1000000"],
  // 30 days.
  PETSTORE_REQUEST_HISTORY_HOURS: ["1", String(30 * 24)],
  PETSTORE_REQUEST_HISTORY_SHARE: ["0", "1"],
  // A hundred years.
  PETSTORE_EVENTS_DAYS: ["1", "36500"],
  PETSTORE_EVENTS_MAX: ["1", String(Number.MAX_SAFE_INTEGER)],
  PETSTORE_ORDERS_DAYS: ["1", "36500"],
  PETSTORE_KEYS_DAYS: ["1", "36500"],
  PETSTORE_AUDIT_DAYS: ["1", "36500"],
  OTEL_TRACES_SAMPLER_ARG: ["0", "1"],
};

test("numbers and durations have the bounds that operators know", () => {
  const bounds = variables.flatMap(({ name }) => {
    const [, least, most] = /from (\d\w*) to (\d\w*)/.exec(refusalOf(name, "?") ?? "") ?? [];
    return least === undefined ? [] : [[name, [least, most]]];
  });
  expect(Object.fromEntries(bounds)).toEqual(BOUNDS);
});

test("a setting with a few values accepts those that its text names, and those alone", () => {
  const enumerated = variables.flatMap(({ name, text = "" }) => {
    const [, list] = /must be (?:one of )?([a-z_]+(?:(?:, | or )[a-z_]+)+)\.$/.exec(refusalOf(name, "?") ?? "") ?? [];
    return list === undefined ? [] : [{ name, values: list.split(/, | or /), text }];
  });
  expect(enumerated.map(({ name }) => name)).toEqual([
    "PETSTORE_DEPLOYMENT",
    "PETSTORE_CATEGORY_CHECK",
    "PETSTORE_ACCOUNT_PAGE",
    "PETSTORE_MCP",
    "PETSTORE_LOG_LEVEL",
    "PETSTORE_REQUEST_LOG",
    "PETSTORE_METRICS_ACCESS",
    "OTEL_TRACES_SAMPLER",
    "PETSTORE_RUNTIME",
  ]);
  /** Those that a text leaves to the reader. */
  const implied: Record<string, string[]> = {
    PETSTORE_CATEGORY_CHECK: ["off"],
    PETSTORE_REQUEST_LOG: ["false"],
    OTEL_TRACES_SAMPLER: ["always_on", "always_off", "traceidratio"].map((one) => `parentbased_${one}`),
  };
  for (const { name, values, text } of enumerated) {
    const named = codesIn(text).filter((code) => /^[a-z_]+[a-z]$/.test(code));
    expect([name, ...[...named, ...(implied[name] ?? [])].sort()]).toEqual([name, ...values.toSorted()]);
  }
});

/** A value of each setting that is not the default, and what it makes of the configuration. */
const SETS: [name: string, value: string, part: object][] = [
  ["HOST", "::1", { host: "::1" }],
  ["PORT", "9000", { port: 9000 }],
  ["PETSTORE_ADMIN_HOST", "10.0.0.1", { admin: { host: "10.0.0.1", port: 8081 }, adminHosts: ["10.0.0.1"] }],
  ["PETSTORE_ADMIN_PORT", "9001", { admin: { host: "127.0.0.1", port: 9001 } }],
  ["PETSTORE_ADMIN_HOSTS", "a.example", { adminHosts: ["127.0.0.1", "a.example"] }],
  ["PETSTORE_NODES", "3", { nodes: 3 }],
  ["PETSTORE_BASE_URL", "https://a.example/v1", { baseUrls: { production: "https://a.example/v1" } }],
  ["PETSTORE_STAGING_BASE_URL", "https://b.example/v1", { baseUrls: { staging: "https://b.example/v1" } }],
  ["PETSTORE_CORS_ORIGINS", "https://a.example", { corsOrigins: ["https://a.example"] }],
  ["PETSTORE_ADDRESS_LIMIT", "7", { addressLimit: 7 }],
  ["PETSTORE_WEBHOOK_HOSTS", "hooks.internal", { webhookHosts: ["hooks.internal"] }],
  ["PETSTORE_CATEGORY_CHECK", "on", { checksCategories: true }],
  ["PETSTORE_ORDER_EXPIRY", "30m", { orderExpiry: 30 * 60_000 }],
  ["PETSTORE_ACCOUNT_PAGE", "off", { hasAccount: false }],
  ["PETSTORE_MCP", "off", { hasMcp: false }],
  ["PETSTORE_LOG_LEVEL", "warn", { logLevel: "warn" }],
  ["PETSTORE_REQUEST_LOG", "true", { logRequests: true }],
  ["PETSTORE_REQUEST_HISTORY", "5", { requestHistory: { requests: 5 } }],
  ["PETSTORE_REQUEST_HISTORY_HOURS", "6", { requestHistory: { hours: 6 } }],
  ["PETSTORE_REQUEST_HISTORY_SHARE", "0.5", { requestHistory: { share: 0.5 } }],
  ["PETSTORE_EVENTS_DAYS", "8", { events: { days: 8 } }],
  ["PETSTORE_EVENTS_MAX", "9", { events: { most: 9 } }],
  ["PETSTORE_ORDERS_DAYS", "10", { retention: { orders: 10 } }],
  ["PETSTORE_KEYS_DAYS", "11", { retention: { keys: 11 } }],
  ["PETSTORE_AUDIT_DAYS", "12", { retention: { audit: 12 } }],
  ["PETSTORE_METRICS_ACCESS", "operators", { metricsAccess: "operators" }],
  ["PETSTORE_BACKUP_KEEP", "13", { backups: { keep: 13 } }],
  ["PETSTORE_BACKUP_EVERY", "6h", { backups: { every: 6 * 3_600_000 } }],
  ["PETSTORE_BACKUP_DIR", "/mnt/backups", { backups: { directory: "/mnt/backups" } }],
];

describe("a setting sets its own part of the configuration, and nothing else:", () => {
  const { settings: _, ...byDefault } = readConfig({});
  /** The default with some parts replaced. */
  const withParts = (part: object, whole: object = byDefault): Record<string, unknown> => {
    const parts = Object.entries(part).map(([key, value]) => {
      const before = Object(whole)[key];
      const isInner = typeof value === "object" && !Array.isArray(value) && typeof before === "object";
      return [key, isInner ? withParts(value, before) : value];
    });
    return { ...whole, ...Object.fromEntries(parts) };
  };

  test.each(SETS)("%s=%s", (name, value, part) => {
    const { settings, baseUrls, ...config } = readConfig({ [name]: value });
    const { baseUrls: addresses, ...expected } = withParts(part);
    expect(config as object).toEqual(expected);
    // The default follows the address that the service listens on: config.test.ts.
    if (name !== "HOST" && name !== "PORT") expect(baseUrls as unknown).toEqual(addresses);
    expect(settings.filter(({ source }) => source === "environment").map((one) => one.name)).toEqual([name]);
  });
});

test("operators see each value, but for secrets and what URLs have of them", () => {
  const S3 = {
    AWS_ACCESS_KEY_ID: "an-id",
    AWS_SECRET_ACCESS_KEY: "a-secret",
    AWS_SESSION_TOKEN: "a-token",
    AWS_ENDPOINT_URL_S3: "https://minio.example.com",
    AWS_REGION: "eu-central-1",
    PETSTORE_BACKUP_S3: "s3://backups/petstore",
  };
  const provider = {
    PETSTORE_OIDC_ISSUER: "https://login.example.com/realms/staff",
    PETSTORE_OIDC_CLIENT_ID: "shop",
    PETSTORE_OIDC_CLIENT_SECRET: "hidden",
    PETSTORE_OIDC_ROLE_CLAIM: "groups",
    PETSTORE_OIDC_ADMINS: "a",
    PETSTORE_OIDC_VIEWERS: "b",
    PETSTORE_OIDC_SCOPE: "openid,groups",
  };
  const databases = {
    DATABASE_URL: "postgres://pet:hidden@db:5432/petstore",
    DATABASE_REPLICA_URL: "postgres://pet:hidden@standby:5432/petstore",
    PETSTORE_REPLICA_READS: "2s",
    PETSTORE_DATABASE_POOL: "20",
    REDIS_URL: "rediss://:hidden@redis:6379/1",
    OTEL_EXPORTER_OTLP_ENDPOINT: "https://u:hidden@collector:4318",
    OTEL_TRACES_SAMPLER: "always_on",
    OTEL_TRACES_SAMPLER_ARG: "0.5",
    PETSTORE_TRUSTED_PROXIES: "10.0.0.0/8",
    PETSTORE_DEPLOYMENT: "staging",
    PETSTORE_RUNTIME: "node",
  };
  const one = Object.fromEntries(SETS.map(([name, value]) => [name, value]));
  const STRUCK = "••••";
  const all = new Set<string>();
  for (const environment of [{ ...one, ...S3, ...provider }, databases] as Record<string, string>[]) {
    for (const { name, value, source } of readConfig(environment).settings) {
      if (source !== "environment") continue;
      all.add(name);
      const given = environment[name] ?? "";
      const isSecret = ["hidden", "an-id", "a-secret", "a-token"].includes(given);
      expect([name, value]).toEqual([name, isSecret ? STRUCK : given.replace(/\/\/.*@/, `//${STRUCK}@`)]);
    }
  }
  expect(variables.map(({ name }) => name).filter((name) => !all.has(name))).toEqual([]);
});
