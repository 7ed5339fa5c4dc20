import type { z } from "zod";
import type { parseRanges } from "../adapters/http/client-address.ts";
import type { Deployment } from "../domain/deployment.ts";
import { type logLevels, type metricsAccesses, OFF, type samplers } from "./config-schemas.ts";
import { Environment, usualAdminPorts, usualBaseUrls } from "./config-variables.ts";

/** The configuration of the service, checked. */
export type Config = {
  host: string;
  port: number;
  /** Where the administration interface listens; undefined: nowhere. */
  admin: AdminAddress | undefined;
  database: DatabaseConfig;
  /** Where limits are counted for all nodes; without it each node counts alone. */
  redisUrl: string | undefined;
  /** Number of nodes: while Redis is away each allows its share of a key's limits. */
  nodes: number;
  deployment: Deployment;
  baseUrls: Record<Deployment, string>;
  trustedProxies: ReturnType<typeof parseRanges>;
  corsOrigins: string[];
  logLevel: (typeof logLevels)[number];
  logRequests: boolean;
  /** Requests a minute without a valid key, for one client address. */
  addressLimit: number;
  /** Who may read the metrics on the administration listener. */
  metricsAccess: (typeof metricsAccesses)[number];
  /** Where traces go, and which of them; without it there are none. */
  tracing: TracingConfig | undefined;
};

export type AdminAddress = { host: string; port: number };

/** A collector's address, and which traces it gets, by OpenTelemetry's names; `ratio` is from 0 to 1. */
export type TracingConfig = { endpoint: string; sampler: (typeof samplers)[number]; ratio: number };

/** A SQLite file, or a PostgreSQL server with the number of connections that one node holds to it. */
export type DatabaseConfig = { engine: "sqlite"; path: string } | { engine: "postgres"; url: string; poolSize: number };

/** Every mistake in the environment, a line each. */
export class ConfigError extends Error {
  readonly mistakes: string[];

  constructor(mistakes: string[]) {
    super(mistakes.join("\n"));
    this.mistakes = mistakes;
  }
}

type Values = z.infer<typeof Environment>;

/** The configuration that these environment variables give. An empty one counts as not set. @throws ConfigError */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const given = Object.entries(environment).filter(([, value]) => value !== undefined && value.trim() !== "");
  const result = Environment.safeParse(Object.fromEntries(given));
  if (!result.success) {
    throw new ConfigError(result.error.issues.map(({ path, message }) => `${path.join(".")} ${message}.`));
  }
  const values = result.data;
  return {
    host: values.HOST,
    port: values.PORT,
    admin: adminOf(values),
    database: databaseOf(values),
    redisUrl: values.REDIS_URL,
    nodes: values.PETSTORE_NODES,
    deployment: values.PETSTORE_DEPLOYMENT,
    baseUrls: baseUrlsOf(values),
    trustedProxies: values.PETSTORE_TRUSTED_PROXIES,
    corsOrigins: values.PETSTORE_CORS_ORIGINS,
    logLevel: values.PETSTORE_LOG_LEVEL,
    logRequests: values.PETSTORE_REQUEST_LOG === "true",
    addressLimit: values.PETSTORE_ADDRESS_LIMIT,
    metricsAccess: values.PETSTORE_METRICS_ACCESS,
    tracing: tracingOf(values),
  };
}

/** The name of the database for messages and logs: without user and password. */
export function nameOf(database: DatabaseConfig): string {
  if (database.engine === "sqlite") return `sqlite:${database.path}`;
  return database.url.replace(/\/\/[^/]*@/, "//").replace(/\?.*/, "");
}

/** How a host to listen on is written in a URL that reaches it. */
export function hostInUrl(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

function adminOf(values: Values): Config["admin"] {
  const port = values.PETSTORE_ADMIN_PORT ?? usualAdminPorts[values.PETSTORE_DEPLOYMENT];
  return port === OFF ? undefined : { host: values.PETSTORE_ADMIN_HOST, port };
}

function databaseOf({ DATABASE_URL: url, PETSTORE_DATABASE_POOL: poolSize }: Values): DatabaseConfig {
  if (url.startsWith("sqlite:")) return { engine: "sqlite", path: url.slice("sqlite:".length) };
  return { engine: "postgres", url, poolSize };
}

function tracingOf(values: Values): TracingConfig | undefined {
  const endpoint = values.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return undefined;
  return { endpoint, sampler: values.OTEL_TRACES_SAMPLER, ratio: values.OTEL_TRACES_SAMPLER_ARG };
}

/** Where none is given, this deployment is reached where it listens, and the other one at its usual place on this machine. */
function baseUrlsOf(values: Values): Record<Deployment, string> {
  const own = `http://${hostInUrl(values.HOST)}:${values.PORT}/v1`;
  const defaults = { ...usualBaseUrls, [values.PETSTORE_DEPLOYMENT]: own };
  return {
    production: values.PETSTORE_BASE_URL ?? defaults.production,
    staging: values.PETSTORE_STAGING_BASE_URL ?? defaults.staging,
  };
}
