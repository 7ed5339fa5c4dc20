import { resolve } from "node:path";
import { z } from "zod";
import type { ProviderConfig } from "../adapters/oidc/single-sign-on.ts";
import { type Deployment, deployments } from "../domain/deployment.ts";
import { MAX_LIMIT } from "../domain/limits/limits.ts";
import { closestTo } from "../domain/text.ts";
import { backupProblems, backupsOf, backupVariables } from "./backups/config.ts";
import {
  baseUrl,
  ConfigError,
  collectorUrl,
  databaseUrl,
  daysOrKeep,
  defaultAdminPorts,
  defaultBaseUrls,
  defaultDatabaseUrls,
  defaultPorts,
  derived,
  documentation,
  durationOrOff,
  host,
  hostNames,
  issuerUrl,
  KEEP,
  list,
  logLevels,
  metricsAccesses,
  OFF,
  oneOf,
  openIdScopes,
  optional,
  origins,
  portOrOff,
  ranges,
  ratio,
  redisUrl,
  replicaUrl,
  samplers,
  variable,
  wholeNumber,
} from "./config-schemas.ts";

/** More requests would take a search more than a second; a day has 24 hours, and these are 30 days. */
const MAX_HISTORY = 1_000_000;
const MAX_HISTORY_HOURS = 720;

/** Every variable with its parser, default and description. A test compares docs/settings.md and .env.example with this. */
const Environment = z.object({
  HOST: variable(host, "127.0.0.1", "Address to listen on."),
  PORT: derived(
    wholeNumber(0, 65_535),
    String(defaultPorts.production),
    `Port to listen on; ${defaultPorts.staging} on staging. 0 takes any free port.`,
  ),
  PETSTORE_ADMIN_HOST: variable(z.string(), "127.0.0.1", "Address of the administration interface and the console."),
  PETSTORE_ADMIN_PORT: derived(
    portOrOff,
    String(defaultAdminPorts.production),
    `Port of the administration interface and the console; ${defaultAdminPorts.staging} on staging. 0 takes any free port, \`off\` disables both.`,
  ),
  PETSTORE_ADMIN_HOSTS: variable(
    hostNames,
    "",
    "Host names by which browsers and programs call the administration interface, separated by commas. IP addresses and `localhost` always work.",
  ),
  PETSTORE_OIDC_ISSUER: optional(
    issuerUrl,
    "The OpenID provider by which operators [sign in to the console](administration.md#single-sign-on): its issuer, such as `https://login.example.com/realms/staff`.",
  ),
  PETSTORE_OIDC_CLIENT_ID: optional(z.string(), "The id that the provider gave to this service. It needs the issuer."),
  PETSTORE_OIDC_CLIENT_SECRET: optional(z.string(), "The secret of that client; none for a public client."),
  PETSTORE_OIDC_ROLE_CLAIM: variable(
    z.string(),
    "roles",
    "The claim of the ID token that has the roles of a person: a text, or a list of texts.",
  ),
  PETSTORE_OIDC_ADMINS: variable(
    list,
    "petstore-admin",
    "The values of that claim that make an admin, separated by commas.",
  ),
  PETSTORE_OIDC_VIEWERS: variable(list, "petstore-viewer", "The same for a viewer. Admin comes first."),
  PETSTORE_OIDC_SCOPE: variable(
    openIdScopes,
    "openid,email,profile",
    "The scopes that the service asks the provider for, separated by commas.",
  ),
  DATABASE_URL: derived(
    databaseUrl,
    defaultDatabaseUrls.production,
    `\`sqlite:\` and the path of the database file, which is created if it is missing; or \`postgres://user:password@host:5432/database\`, also with several hosts, separated by commas. On staging \`${defaultDatabaseUrls.staging}\`.`,
  ),
  PETSTORE_DATABASE_POOL: variable(wholeNumber(3, 1_000), "10", "Connections to PostgreSQL per process, at least 3."),
  DATABASE_REPLICA_URL: optional(
    replicaUrl,
    "Standbys of that PostgreSQL server, each by its own address: `postgres://user:password@host:5432/database`, also with several hosts. They are used if `PETSTORE_REPLICA_READS` is set.",
  ),
  PETSTORE_REPLICA_READS: variable(
    durationOrOff("1s", "1h", "2s"),
    OFF,
    "How old what clients read may be: `GET` of pets, categories and orders [comes from a standby](scaling.md#reads-from-standbys) whose data are no older, such as `2s`. `off` reads everything from the primary.",
  ),
  ...backupVariables,
  REDIS_URL: optional(
    redisUrl,
    "The Redis server that counts limits for all nodes: `redis://host:6379`, `rediss://` with TLS, `redis+cluster://` with hosts, `redis+sentinel://` with hosts and `/name`. Without it each `serve` counts alone, for all its workers together.",
  ),
  PETSTORE_NODES: variable(
    wholeNumber(1, 10_000),
    "1",
    "Number of nodes. While Redis is away for more than 10 seconds, each node allows its share of what a key has left: that divided by this number, but at least a tenth of the limit.",
  ),
  PETSTORE_DEPLOYMENT: variable(
    oneOf(deployments),
    "production",
    "`production` or `staging`. Each deployment has its own keys and data: a database belongs to the one that created it, and the other refuses to open it.",
  ),
  PETSTORE_BASE_URL: derived(
    baseUrl,
    defaultBaseUrls.production,
    "The address at which clients call production: an absolute URL that ends in `/v1`. `Link` headers and the OpenAPI document contain it. On production the default follows `HOST` and `PORT`.",
  ),
  PETSTORE_STAGING_BASE_URL: derived(
    baseUrl,
    defaultBaseUrls.staging,
    "The same for staging. On staging the default follows `HOST` and `PORT`.",
  ),
  PETSTORE_TRUSTED_PROXIES: variable(
    ranges,
    "",
    "Proxies whose `X-Forwarded-For` is trusted: IP addresses and ranges, separated by commas.",
  ),
  PETSTORE_CORS_ORIGINS: variable(
    origins,
    "",
    "Origins of web pages that may call the service from a browser, separated by commas.",
  ),
  PETSTORE_ADDRESS_LIMIT: variable(
    wholeNumber(1, MAX_LIMIT),
    "300",
    "Requests per minute without a valid key, per client address. Each worker and each node counts them alone.",
  ),
  PETSTORE_WEBHOOK_HOSTS: variable(
    hostNames,
    "",
    "Hosts that [webhooks](webhooks.md#addresses) may have although they are not public: names and IPv4 addresses of receivers, separated by commas. Only their URLs may begin with `http://`.",
  ),
  PETSTORE_CATEGORY_CHECK: variable(
    oneOf(["on", "off"]),
    "off",
    "`on` refuses a pet whose category does not exist (400). Pets that have one already keep it.",
  ),
  PETSTORE_ORDER_EXPIRY: variable(
    durationOrOff("1s", "365d", "30m"),
    OFF,
    "How long an order may be placed before it is approved, such as `30m`: then it [expires](orders.md#orders-that-expire). `off`: for good.",
  ),
  PETSTORE_ACCOUNT_PAGE: variable(
    oneOf(["on", "off"]),
    "on",
    "`on` serves the page `/account`, on which the holder of a key sees what the key [says about itself](your-key.md). `off` leaves that path out; the operations stay.",
  ),
  PETSTORE_MCP: variable(
    oneOf(["on", "off"]),
    "on",
    "`on` lets [agents](agents.md) call the service at `/mcp`, each with its API key. `off` leaves that path out.",
  ),
  PETSTORE_LOG_LEVEL: variable(
    oneOf(logLevels),
    "info",
    "`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`.",
  ),
  PETSTORE_REQUEST_LOG: variable(oneOf(["true", "false"]), "false", "`true` logs every request."),
  PETSTORE_REQUEST_HISTORY: variable(
    wholeNumber(0, MAX_HISTORY),
    "100000",
    "How many requests the [request history](monitoring.md#request-history) keeps, for `petstore requests` and the console. 0 switches it off, and deletes what it has.",
  ),
  PETSTORE_REQUEST_HISTORY_HOURS: variable(
    wholeNumber(1, MAX_HISTORY_HOURS),
    "24",
    "How long it keeps them, in hours.",
  ),
  PETSTORE_REQUEST_HISTORY_SHARE: variable(
    ratio,
    "1",
    "The share of the requests without an error that it keeps, from 0 to 1, such as 0.01. It keeps all errors and refusals.",
  ),
  PETSTORE_EVENTS_DAYS: variable(
    wholeNumber(1, 36_500),
    "30",
    "For how many days [events](events.md) are kept. A client that has not followed them for longer copies the lists again.",
  ),
  PETSTORE_EVENTS_MAX: variable(
    wholeNumber(1, Number.MAX_SAFE_INTEGER),
    "10000000",
    "How many events are kept, at most: the oldest ones are deleted first.",
  ),
  PETSTORE_ORDERS_DAYS: variable(
    daysOrKeep,
    KEEP,
    "For how many days after its last change a delivered or cancelled order is kept, before the service [deletes it](data.md#retention). `keep` deletes none.",
  ),
  PETSTORE_KEYS_DAYS: variable(
    daysOrKeep,
    KEEP,
    "The same for revoked keys, for secrets after their grace period, and for callers of deprecated operations after their last call.",
  ),
  PETSTORE_AUDIT_DAYS: variable(daysOrKeep, KEEP, "The same for entries of the audit log."),
  PETSTORE_METRICS_ACCESS: variable(
    oneOf(metricsAccesses),
    "anyone",
    "Who may read [`/metrics`](monitoring.md#metrics): `anyone` who reaches the administration listener, or `operators` with their token.",
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    collectorUrl,
    "The collector that receives [traces](monitoring.md#traces): OTLP over HTTP, such as `http://127.0.0.1:4318`. Without it there are no traces.",
  ),
  OTEL_TRACES_SAMPLER: variable(
    oneOf(samplers),
    "parentbased_always_on",
    "Which requests are traced: `always_on`, `always_off`, `traceidratio`, or one of these after `parentbased_`, which follows the caller's decision.",
  ),
  OTEL_TRACES_SAMPLER_ARG: variable(ratio, "1", "The ratio for `traceidratio`, from 0 to 1."),
  PETSTORE_RUNTIME: variable(
    oneOf(["bun", "node"]),
    "bun",
    "The runtime: `bun`, which `npm install` brings, or `node` for the first Node 24 or newer on the `PATH`.",
  ),
});

/** The variables in the order of docs/settings.md and .env.example. */
export const variables = Object.entries(Environment.shape).map(([name, schema]) => ({
  name,
  ...documentation.get(schema),
}));

export type Config = ReturnType<typeof readConfig>;

/** A setting as it holds, without secrets, and where it is from. `value` is undefined if it is not set and has no default. */
export type Setting = { name: string; value: string | undefined; source: "default" | "environment" | "option" };

/** `effective`: the values of settings whose defaults depend on others. */
function settingsOf(
  environment: Record<string, string | undefined>,
  effective: Record<string, string | number | undefined>,
): Setting[] {
  return variables.map(({ name, default: byDefault }) => {
    const given = environment[name] ?? "";
    if (given.trim() !== "") return { name, value: withoutSecrets(name, given), source: "environment" };
    const value = effective[name] ?? byDefault;
    return { name, value: value === "" ? undefined : String(value), source: "default" };
  });
}

const STRUCK = "••••";

/** Strikes out keys, and the user, the password and the parameters of a URL. */
function withoutSecrets(name: string, value: string): string {
  if (/(KEY|SECRET|TOKEN|PASSWORD|CREDENTIAL)(_|$)/.test(name)) return STRUCK;
  if (!/^[a-z][a-z0-9+]*:\/\//i.test(value)) return value;
  return value.replace(/(?<=:\/\/).*@/s, `${STRUCK}@`).replace(/\?.*/s, `?${STRUCK}`);
}

export type AdminAddress = { host: string; port: number };

/** The URL of a collector, and the sampler by OpenTelemetry's name; `ratio` is from 0 to 1. */
export type TracingConfig = { endpoint: string; sampler: (typeof samplers)[number]; ratio: number };

/**
 * A SQLite file by its absolute path, a SQLite database IN_MEMORY, which no variable names, or a PostgreSQL server and the
 * number of connections per process; `replicas` are its standbys that clients read from, and how old those may be, in ms. With
 * `create` a new file may take the place of one that is missing.
 */
export type DatabaseConfig =
  | { engine: "sqlite"; path: string; create?: boolean }
  | { engine: "postgres"; url: string; poolSize: number; replicas?: { url: string; maxAge: number } | undefined };

type Values = z.infer<typeof Environment>;

/** Reads the configuration from environment variables. Empty ones count as not set. @throws ConfigError */
export function readConfig(environment: Record<string, string | undefined>) {
  const nonEmpty = Object.entries(environment).filter(([, value]) => value !== undefined && value.trim() !== "");
  const result = Environment.safeParse(Object.fromEntries(nonEmpty));
  if (!result.success) {
    throw new ConfigError(result.error.issues.map(({ path, message }) => `${path.join(".")} ${message}.`));
  }
  const values = result.data;
  const database = databaseOf(values);
  const problems = [
    ...backupProblems(values, database.engine),
    ...replicaProblems(values, database.engine),
    ...providerProblems(values),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
  const backups = database.engine === "sqlite" ? backupsOf(values, database.path) : undefined;
  const baseUrls = baseUrlsOf(values);
  return {
    settings: settingsOf(environment, {
      PORT: portOf(values),
      PETSTORE_ADMIN_PORT: adminOf(values)?.port,
      DATABASE_URL: databaseNameOf(database),
      PETSTORE_BASE_URL: baseUrls.production,
      PETSTORE_STAGING_BASE_URL: baseUrls.staging,
      PETSTORE_BACKUP_DIR: backups?.directory,
    }),
    host: values.HOST,
    port: portOf(values),
    /** Undefined if it is off. */
    admin: adminOf(values),
    /** Undefined if operators sign in with tokens alone. */
    provider: providerOf(values),
    adminHosts: [values.PETSTORE_ADMIN_HOST.toLowerCase(), ...values.PETSTORE_ADMIN_HOSTS],
    database,
    /** Undefined on PostgreSQL, which has tools of its own for backups. */
    backups,
    redisUrl: values.REDIS_URL,
    nodes: values.PETSTORE_NODES,
    deployment: values.PETSTORE_DEPLOYMENT,
    baseUrls,
    trustedProxies: values.PETSTORE_TRUSTED_PROXIES,
    corsOrigins: values.PETSTORE_CORS_ORIGINS,
    hasAccount: values.PETSTORE_ACCOUNT_PAGE === "on",
    hasMcp: values.PETSTORE_MCP === "on",
    logLevel: values.PETSTORE_LOG_LEVEL,
    logRequests: values.PETSTORE_REQUEST_LOG === "true",
    requestHistory: {
      requests: values.PETSTORE_REQUEST_HISTORY,
      hours: values.PETSTORE_REQUEST_HISTORY_HOURS,
      share: values.PETSTORE_REQUEST_HISTORY_SHARE,
    },
    events: { days: values.PETSTORE_EVENTS_DAYS, most: values.PETSTORE_EVENTS_MAX },
    /** In days; undefined keeps everything. */
    retention: {
      orders: values.PETSTORE_ORDERS_DAYS,
      keys: values.PETSTORE_KEYS_DAYS,
      audit: values.PETSTORE_AUDIT_DAYS,
    },
    webhookHosts: values.PETSTORE_WEBHOOK_HOSTS,
    checksCategories: values.PETSTORE_CATEGORY_CHECK === "on",
    orderExpiry: values.PETSTORE_ORDER_EXPIRY,
    addressLimit: values.PETSTORE_ADDRESS_LIMIT,
    metricsAccess: values.PETSTORE_METRICS_ACCESS,
    tracing: tracingOf(values),
  };
}

/** Names the database for messages and logs, without user and password. */
export function databaseNameOf(database: DatabaseConfig): string {
  if (database.engine === "sqlite") return `sqlite:${database.path}`;
  return database.url.replace(/\/\/[^/]*@/, "//").replace(/\?.*/, "");
}

/** Whether a service that listens on `host` listens on every address of the machine. */
function isEveryAddress(host: string): boolean {
  return /^([0:]+|0+(\.0+){1,3}|::ffff:0+(\.0+){3})$/i.test(host);
}

/** The host of a URL that reaches a service listening on `host`. */
export function hostInUrl(host: string): string {
  if (isEveryAddress(host)) return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

/** The configuration of a service that listens on `port`: with PORT=0 its default base address is known only then. */
export function listeningOn(config: Config, port: number): Config {
  const { host, deployment, baseUrls } = config;
  if (baseUrls[deployment] !== listeningUrl(host, 0)) return { ...config, port };
  return { ...config, port, baseUrls: { ...baseUrls, [deployment]: listeningUrl(host, port) } };
}

/** Whether other machines reach the service, and its links lead them to themselves: nothing sets its base address. */
export function linksMislead({ host, port, deployment, baseUrls }: Config): boolean {
  return isEveryAddress(host) && baseUrls[deployment] === listeningUrl(host, port);
}

function listeningUrl(host: string, port: number): string {
  return `http://${hostInUrl(host)}:${port}/v1`;
}

function portOf(values: Values): number {
  return values.PORT ?? defaultPorts[values.PETSTORE_DEPLOYMENT];
}

function adminOf(values: Values): AdminAddress | undefined {
  const port = values.PETSTORE_ADMIN_PORT ?? defaultAdminPorts[values.PETSTORE_DEPLOYMENT];
  return port === OFF ? undefined : { host: values.PETSTORE_ADMIN_HOST, port };
}

function databaseOf(values: Values): DatabaseConfig {
  const url = values.DATABASE_URL ?? defaultDatabaseUrls[values.PETSTORE_DEPLOYMENT];
  if (url.startsWith("sqlite:")) return { engine: "sqlite", path: resolve(url.slice("sqlite:".length)) };
  const { DATABASE_REPLICA_URL: replicaUrl, PETSTORE_REPLICA_READS: maxAge } = values;
  const replicas = replicaUrl === undefined || maxAge === undefined ? undefined : { url: replicaUrl, maxAge };
  return { engine: "postgres", url, poolSize: values.PETSTORE_DATABASE_POOL, replicas };
}

function replicaProblems(values: Values, engine: DatabaseConfig["engine"]): string[] {
  const { DATABASE_REPLICA_URL: url, PETSTORE_REPLICA_READS: maxAge } = values;
  if (url !== undefined && engine !== "postgres")
    return ["DATABASE_REPLICA_URL needs a PostgreSQL server in DATABASE_URL."];
  if (url === undefined && maxAge !== undefined) return ["PETSTORE_REPLICA_READS needs DATABASE_REPLICA_URL."];
  return [];
}

function providerProblems(values: Values): string[] {
  const { PETSTORE_OIDC_ISSUER: issuer, PETSTORE_OIDC_CLIENT_ID: clientId } = values;
  if (issuer !== undefined && clientId === undefined)
    return ["PETSTORE_OIDC_ISSUER needs PETSTORE_OIDC_CLIENT_ID, the id that the provider gave to this service."];
  if (issuer !== undefined) return [];
  const given = (["PETSTORE_OIDC_CLIENT_ID", "PETSTORE_OIDC_CLIENT_SECRET"] as const).filter(
    (name) => values[name] !== undefined,
  );
  return given.map((name) => `${name} needs PETSTORE_OIDC_ISSUER, the issuer of the OpenID provider.`);
}

function providerOf(values: Values): ProviderConfig | undefined {
  const { PETSTORE_OIDC_ISSUER: issuer, PETSTORE_OIDC_CLIENT_ID: clientId } = values;
  if (issuer === undefined || clientId === undefined) return undefined;
  return {
    issuer,
    clientId,
    clientSecret: values.PETSTORE_OIDC_CLIENT_SECRET,
    scope: values.PETSTORE_OIDC_SCOPE,
    roles: {
      claim: values.PETSTORE_OIDC_ROLE_CLAIM,
      admins: values.PETSTORE_OIDC_ADMINS,
      viewers: values.PETSTORE_OIDC_VIEWERS,
    },
  };
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

const PREFIX = "PETSTORE_";
/** Kubernetes and Docker set such variables for a service named petstore, PETSTORE_PORT among them. */
const SERVICE_LINK = /^(tcp|udp):\/\//;

/**
 * Returns the variables of the environment that begin with PETSTORE_ and have almost the name of a setting, each with the
 * closest one. Empty ones count as not set. Other programs, such as clients of the service, have variables of their own.
 */
export function misspeltVariables(
  environment: Record<string, string | undefined>,
): { name: string; closest: string }[] {
  const known = variables.map(({ name }) => name);
  return Object.entries(environment).flatMap(([name, value = ""]) => {
    const isOther = !name.startsWith(PREFIX) || known.includes(name);
    if (isOther || value.trim() === "" || SERVICE_LINK.test(value)) return [];
    const closest = closestTo(name, known, wordOf);
    return closest === undefined ? [] : [{ name, closest }];
  });
}

/** A name without the prefix, which some settings have and others do not. */
function wordOf(name: string): string {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
}
