import { resolve } from "node:path";
import type { z } from "zod";
import type { parseRanges } from "../adapters/http/client-address.ts";
import type { Deployment } from "../domain/deployment.ts";
import type { Retention } from "../domain/requests/format.ts";
import { type BackupConfig, backupProblems, backupsOf } from "./backups/config.ts";
import { defaultAdminPorts, defaultBaseUrls, defaultDatabaseUrls, defaultPorts } from "./config-defaults.ts";
import { ConfigError } from "./config-error.ts";
import { type logLevels, type metricsAccesses, OFF, type samplers } from "./config-schemas.ts";
import { Environment } from "./config-variables.ts";

/** The validated configuration of the service. */
export type Config = {
  host: string;
  port: number;
  /** The address of the administration interface; undefined if it is off. */
  admin: AdminAddress | undefined;
  /** The host names by which clients may call the administration interface, beside those of this machine. */
  adminHosts: string[];
  database: DatabaseConfig;
  /** Undefined on PostgreSQL, which has tools of its own for backups. */
  backups: BackupConfig | undefined;
  /** The Redis that counts limits for all nodes; without it each node counts alone. */
  redisUrl: string | undefined;
  /** Number of nodes. While Redis is not available, each allows its share of a key's limits. */
  nodes: number;
  deployment: Deployment;
  baseUrls: Record<Deployment, string>;
  trustedProxies: ReturnType<typeof parseRanges>;
  corsOrigins: string[];
  logLevel: (typeof logLevels)[number];
  logRequests: boolean;
  /** What the request history keeps. */
  requestHistory: Retention;
  /** Whether a pet can only get a category that exists. */
  checksCategories: boolean;
  /** Requests per minute without a valid key, per client address and process. */
  addressLimit: number;
  /** Who may read the metrics on the administration listener. */
  metricsAccess: (typeof metricsAccesses)[number];
  /** The collector and the sampler of traces; undefined disables traces. */
  tracing: TracingConfig | undefined;
};

export type AdminAddress = { host: string; port: number };

/** The URL of a collector, and the sampler by OpenTelemetry's name; `ratio` is from 0 to 1. */
export type TracingConfig = { endpoint: string; sampler: (typeof samplers)[number]; ratio: number };

/**
 * A SQLite file by its absolute path, a SQLite database IN_MEMORY, which no variable names, or a PostgreSQL server and the
 * number of connections per process. With `create` a new file may take the place of one that is missing.
 */
export type DatabaseConfig =
  | { engine: "sqlite"; path: string; create?: boolean }
  | { engine: "postgres"; url: string; poolSize: number };

type Values = z.infer<typeof Environment>;

/** Reads the configuration from environment variables. Empty ones count as not set. @throws ConfigError */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const nonEmpty = Object.entries(environment).filter(([, value]) => value !== undefined && value.trim() !== "");
  const result = Environment.safeParse(Object.fromEntries(nonEmpty));
  if (!result.success) {
    throw new ConfigError(result.error.issues.map(({ path, message }) => `${path.join(".")} ${message}.`));
  }
  const values = result.data;
  const database = databaseOf(values);
  const problems = backupProblems(values, database.engine);
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    host: values.HOST,
    port: portOf(values),
    admin: adminOf(values),
    adminHosts: [values.PETSTORE_ADMIN_HOST.toLowerCase(), ...values.PETSTORE_ADMIN_HOSTS],
    database,
    backups: database.engine === "sqlite" ? backupsOf(values, database.path) : undefined,
    redisUrl: values.REDIS_URL,
    nodes: values.PETSTORE_NODES,
    deployment: values.PETSTORE_DEPLOYMENT,
    baseUrls: baseUrlsOf(values),
    trustedProxies: values.PETSTORE_TRUSTED_PROXIES,
    corsOrigins: values.PETSTORE_CORS_ORIGINS,
    logLevel: values.PETSTORE_LOG_LEVEL,
    logRequests: values.PETSTORE_REQUEST_LOG === "true",
    requestHistory: { requests: values.PETSTORE_REQUEST_HISTORY, hours: values.PETSTORE_REQUEST_HISTORY_HOURS },
    checksCategories: values.PETSTORE_CATEGORY_CHECK === "on",
    addressLimit: values.PETSTORE_ADDRESS_LIMIT,
    metricsAccess: values.PETSTORE_METRICS_ACCESS,
    tracing: tracingOf(values),
  };
}

/** Names the database for messages and logs, without user and password. */
export function nameOf(database: DatabaseConfig): string {
  if (database.engine === "sqlite") return `sqlite:${database.path}`;
  return database.url.replace(/\/\/[^/]*@/, "//").replace(/\?.*/, "");
}

/** The host of a URL that reaches a service listening on `host`. */
export function hostInUrl(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

/** The configuration of a service that listens on `port`: with PORT=0 its default base address is known only then. */
export function listeningOn(config: Config, port: number): Config {
  const { host, deployment, baseUrls } = config;
  if (baseUrls[deployment] !== listeningUrl(host, 0)) return { ...config, port };
  return { ...config, port, baseUrls: { ...baseUrls, [deployment]: listeningUrl(host, port) } };
}

function listeningUrl(host: string, port: number): string {
  return `http://${hostInUrl(host)}:${port}/v1`;
}

function portOf(values: Values): number {
  return values.PORT ?? defaultPorts[values.PETSTORE_DEPLOYMENT];
}

function adminOf(values: Values): Config["admin"] {
  const port = values.PETSTORE_ADMIN_PORT ?? defaultAdminPorts[values.PETSTORE_DEPLOYMENT];
  return port === OFF ? undefined : { host: values.PETSTORE_ADMIN_HOST, port };
}

function databaseOf(values: Values): DatabaseConfig {
  const url = values.DATABASE_URL ?? defaultDatabaseUrls[values.PETSTORE_DEPLOYMENT];
  if (url.startsWith("sqlite:")) return { engine: "sqlite", path: resolve(url.slice("sqlite:".length)) };
  return { engine: "postgres", url, poolSize: values.PETSTORE_DATABASE_POOL };
}

function tracingOf(values: Values): TracingConfig | undefined {
  const endpoint = values.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return undefined;
  return { endpoint, sampler: values.OTEL_TRACES_SAMPLER, ratio: values.OTEL_TRACES_SAMPLER_ARG };
}

/** By default this deployment has the address that it listens on, and the other one its default address. */
function baseUrlsOf(values: Values): Record<Deployment, string> {
  const own = listeningUrl(values.HOST, portOf(values));
  const defaults = { ...defaultBaseUrls, [values.PETSTORE_DEPLOYMENT]: own };
  return {
    production: values.PETSTORE_BASE_URL ?? defaults.production,
    staging: values.PETSTORE_STAGING_BASE_URL ?? defaults.staging,
  };
}
