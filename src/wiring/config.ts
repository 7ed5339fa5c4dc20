import { z } from "zod";
import { parseRanges } from "../adapters/http/client-address.ts";
import { type Deployment, deployments } from "../domain/deployment.ts";
import { LARGEST_LIMIT } from "../domain/limits/plans.ts";

/** What the service is told by its environment, checked. */
export type Config = {
  host: string;
  port: number;
  /** Where operators are listened to; undefined: nowhere. */
  admin: { host: string; port: number } | undefined;
  database: DatabaseConfig;
  /** Where limits are counted for all nodes; without it each node counts alone. */
  redisUrl: string | undefined;
  /** How many nodes there are: among so many a key's limits are divided while Redis is away. */
  nodes: number;
  deployment: Deployment;
  baseUrls: Record<Deployment, string>;
  trustedProxies: ReturnType<typeof parseRanges>;
  corsOrigins: string[];
  logLevel: (typeof logLevels)[number];
  logRequests: boolean;
  /** Requests a minute without a valid key, for one client address. */
  addressLimit: number;
  /** Who may see the metrics on the operators' listener: whoever reaches it, or operators alone. */
  metricsAccess: (typeof metricsAccesses)[number];
  /** Where traces go, and which of them; without it there are none. */
  tracing: TracingConfig | undefined;
};

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

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

const metricsAccesses = ["anyone", "operators"] as const;

const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

const wholeNumber = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,10}$/, { error })
    .transform(Number)
    .pipe(z.number().min(min, { error }).max(max, { error }));
};

const OFF = "off";
const adminPort = z.union([z.literal(OFF), wholeNumber(0, 65_535)], {
  error: `must be a whole number from 0 to 65535, or ${OFF}`,
});

/** Both deployments may run on one machine, as their ports and base addresses have it by default. */
const usualAdminPort: Record<Deployment, number> = { production: 8081, staging: 8091 };

const baseUrl = z.string().refine(isBaseUrl, {
  error: "must be an absolute http or https URL that ends in /v1, such as https://api.example.com/v1",
});

function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && text.endsWith("/v1") && search === "" && hash === "" && !/\s/.test(text);
}

const list = z.string().transform((text) =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== ""),
);

const ranges = list.transform((texts, context) => {
  try {
    return parseRanges(texts);
  } catch {
    context.addIssue("must be IP addresses or ranges, separated by commas, such as 10.0.0.0/8,::1");
    return z.NEVER;
  }
});

const origins = list.refine((texts) => texts.every((text) => URL.canParse(text) && new URL(text).origin === text), {
  error: "must be origins, separated by commas, such as https://shop.example.com",
});

const databaseUrl = z.string().regex(/^(sqlite:.+|postgres(ql)?:\/\/.+)/, {
  error:
    "must be sqlite: and the path of a file, such as sqlite:data/petstore.db, or the URL of a PostgreSQL server, such as postgres://user:password@host:5432/petstore",
});

const redisUrl = z.string().regex(/^rediss?(\+cluster|\+sentinel)?:\/\/.+/, {
  error:
    "must be redis:// or rediss:// and a host, redis+cluster:// and hosts, or redis+sentinel:// and hosts and a name",
});

const collectorUrl = z.string().refine((text) => /^https?:\/\/\S+$/.test(text) && URL.canParse(text), {
  error: "must be the http or https URL of a collector that takes OTLP over HTTP, such as http://127.0.0.1:4318",
});

const ratio = z
  .string()
  .regex(/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/, { error: "must be a number from 0 to 1, such as 0.01" })
  .transform(Number);

const Environment = z.object({
  HOST: z.string().min(1, { error: "must be an address to listen on, such as 127.0.0.1" }).default("127.0.0.1"),
  PORT: wholeNumber(0, 65_535).default(8080),
  PETSTORE_ADMIN_HOST: z.string().default("127.0.0.1"),
  PETSTORE_ADMIN_PORT: adminPort.optional(),
  DATABASE_URL: databaseUrl.default("sqlite:data/petstore.db"),
  PETSTORE_DATABASE_POOL: wholeNumber(1, 1_000).default(10),
  REDIS_URL: redisUrl.optional(),
  PETSTORE_NODES: wholeNumber(1, 10_000).default(1),
  PETSTORE_DEPLOYMENT: z.enum(deployments, { error: `must be ${deployments.join(" or ")}` }).default("production"),
  PETSTORE_BASE_URL: baseUrl.optional(),
  PETSTORE_STAGING_BASE_URL: baseUrl.optional(),
  PETSTORE_TRUSTED_PROXIES: ranges.default([]),
  PETSTORE_CORS_ORIGINS: origins.default([]),
  PETSTORE_LOG_LEVEL: z.enum(logLevels, { error: `must be one of ${logLevels.join(", ")}` }).default("info"),
  PETSTORE_REQUEST_LOG: z.enum(["true", "false"], { error: "must be true or false" }).default("false"),
  PETSTORE_ADDRESS_LIMIT: wholeNumber(1, LARGEST_LIMIT).default(300),
  PETSTORE_METRICS_ACCESS: z
    .enum(metricsAccesses, { error: `must be ${metricsAccesses.join(" or ")}` })
    .default("anyone"),
  OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl.optional(),
  OTEL_TRACES_SAMPLER: z
    .enum(samplers, { error: `must be one of ${samplers.join(", ")}` })
    .default("parentbased_always_on"),
  OTEL_TRACES_SAMPLER_ARG: ratio.default(1),
});

/** The configuration that these environment variables give. An empty one counts as not set. @throws ConfigError */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value.trim() !== ""),
  );
  const result = Environment.safeParse(given);
  if (!result.success) {
    throw new ConfigError(result.error.issues.map(({ path, message }) => `${path.join(".")} ${message}.`));
  }
  const read = result.data;
  return {
    host: read.HOST,
    port: read.PORT,
    admin: adminOf(read),
    database: databaseOf(read),
    redisUrl: read.REDIS_URL,
    nodes: read.PETSTORE_NODES,
    deployment: read.PETSTORE_DEPLOYMENT,
    baseUrls: baseUrlsOf(read),
    trustedProxies: read.PETSTORE_TRUSTED_PROXIES,
    corsOrigins: read.PETSTORE_CORS_ORIGINS,
    logLevel: read.PETSTORE_LOG_LEVEL,
    logRequests: read.PETSTORE_REQUEST_LOG === "true",
    addressLimit: read.PETSTORE_ADDRESS_LIMIT,
    metricsAccess: read.PETSTORE_METRICS_ACCESS,
    tracing: tracingOf(read),
  };
}

/** The database's name for people and logs: without user and password. */
export function nameOf(database: DatabaseConfig): string {
  if (database.engine === "sqlite") return `sqlite:${database.path}`;
  return database.url.replace(/\/\/[^/]*@/, "//").replace(/\?.*/, "");
}

function adminOf(read: z.infer<typeof Environment>): Config["admin"] {
  const port = read.PETSTORE_ADMIN_PORT ?? usualAdminPort[read.PETSTORE_DEPLOYMENT];
  return port === OFF ? undefined : { host: read.PETSTORE_ADMIN_HOST, port };
}

function databaseOf(read: z.infer<typeof Environment>): DatabaseConfig {
  const url = read.DATABASE_URL;
  if (url.startsWith("sqlite:")) return { engine: "sqlite", path: url.slice("sqlite:".length) };
  return { engine: "postgres", url, poolSize: read.PETSTORE_DATABASE_POOL };
}

function tracingOf(read: z.infer<typeof Environment>): TracingConfig | undefined {
  const endpoint = read.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return undefined;
  return { endpoint, sampler: read.OTEL_TRACES_SAMPLER, ratio: read.OTEL_TRACES_SAMPLER_ARG };
}

/** Where nothing else is said, this deployment is where it listens, and the other one at its usual place on this machine. */
function baseUrlsOf(read: z.infer<typeof Environment>): Record<Deployment, string> {
  const own = `http://${hostInUrl(read.HOST)}:${read.PORT}/v1`;
  const isProduction = read.PETSTORE_DEPLOYMENT === "production";
  return {
    production: read.PETSTORE_BASE_URL ?? (isProduction ? own : "http://127.0.0.1:8080/v1"),
    staging: read.PETSTORE_STAGING_BASE_URL ?? (isProduction ? "http://127.0.0.1:8090/v1" : own),
  };
}

/** How a host to listen on is written in a URL that asks it. */
export function hostInUrl(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
