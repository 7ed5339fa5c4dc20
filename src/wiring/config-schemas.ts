import { z } from "zod";
import { parseRanges } from "../adapters/http/client-address.ts";
import { IN_MEMORY } from "../adapters/sqlite/errors.ts";
import type { Deployment } from "../domain/deployment.ts";
import { millisecondsOf } from "../domain/time.ts";

/** Parses the text of an environment variable; its error says what the text must be. */
type Schema<T> = z.ZodType<T, string>;

export function wholeNumber(min: number, max: number): Schema<number> {
  const error = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,16}$/, { error })
    .transform(Number)
    .pipe(z.number().min(min, { error }).max(max, { error }));
}

export function oneOf<const T extends string>(values: readonly T[]): Schema<T> {
  const error = values.length === 2 ? `must be ${values.join(" or ")}` : `must be one of ${values.join(", ")}`;
  return z.string().pipe(z.enum(values, { error }));
}

export const OFF = "off";

export const portOrOff = z.union([z.literal(OFF), wholeNumber(0, 65_535)], {
  error: `must be a whole number from 0 to 65535, or ${OFF}`,
});

export const KEEP = "keep";

export const daysOrKeep: Schema<number | undefined> = z
  .union([z.literal(KEEP), wholeNumber(1, 36_500)], {
    error: `must be a whole number of days from 1 to 36500, or ${KEEP}`,
  })
  .transform((days) => (days === KEEP ? undefined : days));

export const host = z.string().min(1, { error: "must be an address to listen on, such as 127.0.0.1" });

/** Links begin with it, in its normal form. */
export const baseUrl = z
  .string()
  .refine((text) => /^https?:\/\/[^/?#@\s]+\/([^?#\s]*\/)?v1$/i.test(text) && URL.canParse(text), {
    error: "must be an absolute http or https URL without a user that ends in /v1, such as https://api.example.com/v1",
  })
  .transform((text) => new URL(text).href);

export const list = z.string().transform((text) =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== ""),
);

export const ranges = list.transform((texts, context) => {
  try {
    return parseRanges(texts);
  } catch {
    context.addIssue("must be IP addresses or ranges, separated by commas, such as 10.0.0.0/8,::1");
    return z.NEVER;
  }
});

export const hostNames = list.transform((texts, context) => {
  if (texts.every((text) => /^[\w-]+(\.[\w-]+)*$/.test(text))) return texts.map((text) => text.toLowerCase());
  context.addIssue("must be host names without a port, separated by commas, such as console.example.com");
  return z.NEVER;
});

/** Plain HTTP only reaches this machine: the provider's answers decide who operates the service. */
export const issuerUrl = z.string().refine(
  (text) => {
    if (!/^https?:\/\/[^?#@\s]+$/.test(text) || !URL.canParse(text) || text.includes("/.well-known/")) return false;
    const { protocol, hostname } = new URL(text);
    return protocol === "https:" || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  },
  {
    error:
      "must be the issuer of an OpenID provider as its discovery document has it: an https URL without a user, a query and /.well-known/, such as https://login.example.com/realms/staff, or an http URL of this machine",
  },
);

/** What the service asks the provider for. Without `openid` there is no ID token. Shells would split a list with spaces. */
export const openIdScopes = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter((scope) => scope !== ""))
  .refine((scopes) => scopes.includes("openid") && scopes.every((scope) => /^[!#-[\]-~]+$/.test(scope)), {
    error: "must be scopes, separated by commas, with openid among them, such as openid,email,profile",
  })
  .transform((scopes) => scopes.join(" "));

export const origins = list.refine(
  (texts) => texts.every((text) => URL.canParse(text) && new URL(text).origin === text),
  { error: "must be origins, separated by commas, such as https://shop.example.com" },
);

const SERVER_URL = /^(postgres|redis)[a-z+]*:\/\/(?:([^/?#]*)@)?([^@/?#]*)(.*)$/s;

/**
 * Whether the clients of PostgreSQL and Redis can read a URL: of their servers, any other text counts as one. Characters that
 * a password should encode end its authority too early, mostly in the place of a port.
 */
function isReadable(text: string): boolean {
  const [, server, login, hosts = "", rest = ""] = SERVER_URL.exec(text) ?? [];
  if (server === undefined) return true;
  const isHost = (host: string) => URL.canParse(`${server}://${login === undefined ? "" : "user@"}${host}`);
  // PostgreSQL's client takes a host from the query, and a percent sign as it is.
  const list = /^rediss?:/.test(text) ? [hosts] : hosts.split(",");
  const areHosts = list.every((host) => isHost(host) || (host === "" && server === "postgres"));
  const encoded = server === "postgres" ? login?.replace(/%(?![\da-f]{2})/gi, "%25") : login;
  return areHosts && isDecodable(encoded ?? "") && !/^[^?]*@/.test(rest);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

const READABLE =
  "must be a URL with valid hosts and ports, and with a user and password that are percent-encoded: %2F for /, %23 for #, %3F for ?, %40 for @, %25 for %";

export const databaseUrl = z
  .string()
  .regex(/^(sqlite:.+|postgres(ql)?:\/\/.+)/, {
    error:
      "must be sqlite: and the path of a file, such as sqlite:data/petstore.db, or the URL of a PostgreSQL server, such as postgres://user:password@host:5432/petstore",
  })
  .refine((text) => text !== `sqlite:${IN_MEMORY}`, {
    error:
      "must be a file, because commands, such as those that create keys, do not see a database in memory; `petstore demo` has one",
  })
  .refine(isReadable, { error: READABLE });

export const replicaUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\/.+/, {
    error: "must be the URL of PostgreSQL standbys, such as postgres://user:password@host:5432/petstore",
  })
  .refine(isReadable, { error: READABLE });

/** A duration in ms; undefined if it is off. `example` is one. */
export function durationOrOff(shortest: string, longest: string, example: string): Schema<number | undefined> {
  const [min = 0, max = 0] = [millisecondsOf(shortest), millisecondsOf(longest)];
  return z.string().transform((text, context) => {
    const duration = millisecondsOf(text) ?? 0;
    if (text === OFF) return undefined;
    if (duration >= min && duration <= max) return duration;
    context.addIssue(`must be a duration from ${shortest} to ${longest}, such as ${example}, or ${OFF}`);
    return z.NEVER;
  });
}

export const redisUrl = z
  .string()
  .regex(/^rediss?(\+cluster|\+sentinel)?:\/\/.+/, {
    error:
      "must be redis:// or rediss:// and a host, redis+cluster:// and hosts, or redis+sentinel:// and hosts and a name",
    abort: true,
  })
  .refine(isReadable, { error: READABLE });

export const collectorUrl = z.string().refine((text) => /^https?:\/\/\S+$/.test(text) && URL.canParse(text), {
  error: "must be the http or https URL of a collector that takes OTLP over HTTP, such as http://127.0.0.1:4318",
});

export const ratio = z
  .string()
  .regex(/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/, { error: "must be a number from 0 to 1, such as 0.01" })
  .transform(Number);

export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

export const metricsAccesses = ["anyone", "operators"] as const;

/** The names are OpenTelemetry's. */
export const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

/** Production and staging may run on one machine: their defaults differ. */
export const defaultPorts: Record<Deployment, number> = { production: 8080, staging: 8090 };
export const defaultAdminPorts: Record<Deployment, number> = { production: 8081, staging: 8091 };
export const defaultDatabaseUrls: Record<Deployment, string> = {
  production: "sqlite:data/petstore.db",
  staging: "sqlite:data/petstore-staging.db",
};
export const defaultBaseUrls: Record<Deployment, string> = {
  production: "http://127.0.0.1:8080/v1",
  staging: "http://127.0.0.1:8090/v1",
};

/** A configuration error, with one line per problem. */
export class ConfigError extends Error {
  readonly problems: string[];

  constructor(problems: string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

/** The documentation of a variable in docs/settings.md and .env.example. */
type Documentation = {
  /** The default as text; empty if there is none. */
  default: string;
  /** Whether the default depends on other variables; .env.example does not set these. */
  isDerived: boolean;
  /** Markdown: a cell of the table there. */
  text: string;
};

/** Of all variables. */
export const documentation = z.registry<Documentation>();

export function variable<T>(schema: z.ZodType<T, string>, value: string, text: string) {
  const documented = { default: value, isDerived: false, text };
  return z.string().prefault(value).pipe(schema).register(documentation, documented);
}

export function optional<T>(schema: z.ZodType<T, string>, text: string) {
  return schema.optional().register(documentation, { default: "", isDerived: false, text });
}

/** `value` is the default when no variable is set; `readConfig` derives it. */
export function derived<T>(schema: z.ZodType<T, string>, value: string, text: string) {
  return schema.optional().register(documentation, { default: value, isDerived: true, text });
}
