import { z } from "zod";
import { deployments } from "../domain/deployment.ts";
import { MAX_LIMIT } from "../domain/limits/limits.ts";
import { backupVariables } from "./backups/variables.ts";
import { defaultAdminPorts, defaultBaseUrls, defaultDatabaseUrls, defaultPorts } from "./config-defaults.ts";
import {
  baseUrl,
  collectorUrl,
  databaseUrl,
  host,
  hostNames,
  logLevels,
  metricsAccesses,
  oneOf,
  origins,
  portOrOff,
  ranges,
  ratio,
  redisUrl,
  samplers,
  wholeNumber,
} from "./config-schemas.ts";
import { derived, documentation, optional, variable } from "./variable.ts";

/** More requests would take a search more than a second; a day has 24 hours, and these are 30 days. */
const MAX_HISTORY = 1_000_000;
const MAX_HISTORY_HOURS = 720;

/** Every variable with its parser, default and description. A test compares README.md and .env.example with this. */
export const Environment = z.object({
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
  DATABASE_URL: derived(
    databaseUrl,
    defaultDatabaseUrls.production,
    `\`sqlite:\` and the path of the database file, which is created if it is missing; or \`postgres://user:password@host:5432/database\`, also with several hosts, separated by commas. On staging \`${defaultDatabaseUrls.staging}\`.`,
  ),
  PETSTORE_DATABASE_POOL: variable(wholeNumber(3, 1_000), "10", "Connections to PostgreSQL per process, at least 3."),
  ...backupVariables,
  REDIS_URL: optional(
    redisUrl,
    "The Redis server that counts limits for all nodes: `redis://host:6379`, `rediss://` with TLS, `redis+cluster://` with hosts, `redis+sentinel://` with hosts and `/name`. Without it each `serve` counts alone, for all its workers together.",
  ),
  PETSTORE_NODES: variable(
    wholeNumber(1, 10_000),
    "1",
    "Number of nodes. While Redis is away, each node allows its share of a key's limits: the limit divided by this number.",
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
  PETSTORE_CATEGORY_CHECK: variable(
    oneOf(["on", "off"]),
    "off",
    "`on` refuses a pet whose category does not exist (400). Pets that have one already keep it.",
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
    "How many requests the [request history](docs/operations.md#request-history) keeps, for `petstore requests` and the console. 0 switches it off, and deletes what it has.",
  ),
  PETSTORE_REQUEST_HISTORY_HOURS: variable(
    wholeNumber(1, MAX_HISTORY_HOURS),
    "24",
    "How long it keeps them, in hours.",
  ),
  PETSTORE_METRICS_ACCESS: variable(
    oneOf(metricsAccesses),
    "anyone",
    "Who may read [`/metrics`](docs/operations.md#metrics): `anyone` who reaches the administration listener, or `operators` with their token.",
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    collectorUrl,
    "The collector that receives [traces](docs/operations.md#traces): OTLP over HTTP, such as `http://127.0.0.1:4318`. Without it there are no traces.",
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

/** The variables in the order of README.md and .env.example. */
export const variables = Object.entries(Environment.shape).map(([name, schema]) => ({
  name,
  ...documentation.get(schema),
}));
