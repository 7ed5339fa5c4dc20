/**
 * Each figure in the documents has a source: the code, by the facts below, or something that the code does not know. A fact is
 * a part of a sentence, as some page has it, with its figures from the code. A figure that neither a fact nor another
 * test nor an entry of `OTHERS` accounts for is reported, and so is a fact that no page states.
 */
import { expect, test } from "bun:test";
import { levels } from "pino";
import { administrationDocument } from "../src/adapters/http/admin/document.ts";
import { openApiDocument } from "../src/adapters/http/document.ts";
import { VERSIONS } from "../src/adapters/http/mcp.ts";
import { MAX_MESSAGE_BYTES } from "../src/adapters/http/operations/index.ts";
import { getPet } from "../src/adapters/http/operations/pets.ts";
import { statusOf } from "../src/adapters/http/responses.ts";
import { type ErrorCode, errorCatalogue } from "../src/domain/errors.ts";
import { INT64_MAX, INT64_MIN } from "../src/domain/int64.ts";
import { toJson } from "../src/domain/json.ts";
import { limitsOf } from "../src/domain/limits/limits.ts";
import { orderReference } from "../src/domain/orders.ts";
import { sampleCategories } from "../src/domain/shop.ts";
import { NEEDED_NODE } from "../src/testing/needed-runtime.ts";
import { usageInterval } from "../src/wiring/background-tasks.ts";
import { readConfig } from "../src/wiring/config.ts";
import { pages, read, withoutBlocks } from "./support/markdown.ts";

/** A number as the documents write it. */
const written = (value: number) => value.toLocaleString("en", { maximumFractionDigits: 3 });

/** The number that a constant of this file in src is, or one of its members (`REQUEST.lock`), in units of so many. */
function of(file: string, name: string, unit = 1): string {
  const [constant = "", ...members] = name.split(".");
  const value = new RegExp(`^(?:export )?const ${constant}\\b[^=]*= ([^;]+?)(?: as const[^;]*)?;`, "m").exec(
    read(`src/${file}.ts`),
  )?.[1];
  if (value === undefined) throw new Error(`src/${file}.ts has no constant ${constant}`);
  const DAY = 86_400_000;
  return written(
    Number(new Function("DAY", `return (${value})${members.map((one) => `["${one}"]`).join("")}`)(DAY)) / unit,
  );
}

/** A code of an error of the Model Context Protocol. */
const rpc = (name: string) => of("adapters/http/mcp", name).replace(",", "");

const WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const ORDINALS = ["", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];

/** The same in words. */
function inWords(file: string, name: string, unit = 1): string {
  return worded(of(file, name, unit));
}

/** A figure in words: "five", "half a". */
const worded = (figure: string) => (figure === "0.5" ? "half a" : (WORDS[Number(figure)] ?? figure));
const ordinal = (figure: string) => ORDINALS[Number(figure)] ?? figure;

/** What the group of a pattern finds in a file. */
function found(path: string, pattern: RegExp): string {
  const value = pattern.exec(read(path))?.[1];
  if (value === undefined) throw new Error(`${path} has nothing like ${pattern}`);
  return written(Number(value.replaceAll("_", "")));
}

/** A time in ms in a file, in seconds. */
const inSeconds = (path: string, pattern: RegExp) => written(Number(found(path, pattern).replaceAll(",", "")) / 1_000);

/** A time of the code that is one of a unit, rounded up: "a second". */
function oneOf(file: string, name: string): string {
  const ms = Number(of(file, name).replaceAll(",", ""));
  const names: [most: number, one: string][] = [
    [SECOND, "a second"],
    [MINUTE, "a minute"],
    [HOUR, "an hour"],
    [DAY, "a day"],
  ];
  return names.find(([most]) => ms > most * 0.8 && ms <= most)?.[1] ?? written(ms);
}
/** How often something is there, by its factor in a file. */
const times = (path: string, pattern: RegExp) => (found(path, pattern) === "2" ? "twice" : found(path, pattern));

/** The unit of a time that the code divides by so many milliseconds. */
const UNITS: Record<string, string> = { "1": "milliseconds", "1,000": "seconds" };
const [SECOND, MINUTE, HOUR, DAY, KIB, MIB] = [1_000, 60_000, 3_600_000, 86_400_000, 1_024, 1_024 ** 2];
const [OK, CREATED, ACCEPTED, NO_CONTENT, FOUND, SEE_OTHER, NOT_MODIFIED] = [200, 201, 202, 204, 302, 303, 304];
const INVALID = statusOf("invalid_parameter");
const UNAUTHENTICATED = statusOf("missing_api_key");
const FORBIDDEN = statusOf("insufficient_scope");
const NOT_FOUND = statusOf("not_found");
const NOT_ALLOWED = statusOf("method_not_allowed");
const CONFLICT = statusOf("invalid_transition");
const GONE = statusOf("operation_removed");
const PRECONDITION = statusOf("precondition_failed");
const TOO_LARGE = statusOf("payload_too_large");
const UNSUPPORTED = statusOf("unsupported_media_type");
const REUSED = statusOf("idempotency_key_reused");
const LIMITED = statusOf("rate_limit_exceeded");
const HEADERS = statusOf("request_header_too_large");
const INTERNAL = statusOf("internal_error");
const UNAVAILABLE = statusOf("service_unavailable");

const production = readConfig({});
const staging = readConfig({ PETSTORE_DEPLOYMENT: "staging" });
const admin = (config: typeof production) => config.admin?.port;

const NAME = found("src/domain/pets.ts", /petName = nameUpTo\(\s*(\d+)/);
const CATEGORY_NAME = found("src/domain/categories.ts", /categoryName = nameUpTo\(\s*(\d+)/);
const BODY = of("adapters/http/request", "MAX_BODY_BYTES", KIB);
const BATCH = of("domain/pets", "MAX_BATCH");
const BATCH_BYTES = of("adapters/http/operations/pets", "MAX_BATCH_BYTES", KIB);
const HEAD = of("adapters/http/request", "MAX_HEAD", KIB);
const ARRIVAL = of("adapters/listen/connection", "TIMEOUT");
const IDEMPOTENCY = of("domain/changes", "IDEMPOTENCY_KEY_LIFETIME", HOUR);
const IDEMPOTENCY_KEY = of("adapters/http/parameters", "LONGEST");
const MOST_IDS = of("domain/pets", "MAX_IDS");
const PAGE_SIZE = of("domain/pets", "PAGE.default");
const MOST_ITEMS = of("domain/pets", "PAGE.max");
const LEVELS = of("domain/json", "MAX_DEPTH");
const LINK = of("domain/operators", "LINK_LENGTH", MINUTE);
const SESSION = of("domain/operators", "SESSION_LENGTH", HOUR);
const OWNER = of("domain/keys/key", "MAX_NAME_LENGTH");
const STRIKES = of("domain/limits/limits", "MIN_STRIKES");
const BAN = (at: number, unit: number) => of("domain/limits/limits", `BAN_DURATIONS.${at}`, unit);
const ALONE = of("wiring/limits", "REDIS_PATIENCE", SECOND);
const GRACE = of("domain/limits/fallback-counts", "GRACE", SECOND);
/** Into how many bursts the fallback divides a limit. */
const BURST = found("src/domain/limits/fallback-counts.ts", /Math\.floor\(limit \/ (\d+)\)/);
const LONGEST_WAIT = of("domain/limits/fallback-counts", "LONGEST_WAIT");
const UNSEEN = of("domain/limits/fallback-counts", "MOST_SEEN");
const HISTORY = written(Number(production.requestHistory.requests));
const MOST_READ = of("adapters/sql/pets", "MOST_READ");
const PETS = of("domain/shop", "DEFAULT_PETS");
const CATEGORIES = sampleCategories.length;
const PERIOD = of("domain/shop", "PERIOD", DAY);
const SEED_PETS = of("wiring/imports", "MAX_SEED_PETS");
const RESERVED = of("adapters/sqlite/ids", "BLOCK");
const BUSY = of("adapters/sqlite/group-commit", "WRITE_TIMEOUT", SECOND);
const CHECK = of("wiring/health", "CHECK_TIMEOUT", SECOND);
const CLOCK_WARNING = of("wiring/health", "MAX_UNNOTICED", SECOND);
const CLOCK_WRONG = of("wiring/health", "MAX_READY", SECOND);
const UNANSWERED = of("commands/workers", "MAX_UNANSWERED");
const START = of("commands/workers", "START_TIMEOUT", SECOND);
const WORKER_STOP = of("commands/workers", "STOP_TIMEOUT", SECOND);
const LOCK = of("adapters/postgres/connections", "REQUEST.lock", SECOND);
const STATEMENT = of("adapters/postgres/connections", "REQUEST.statement", SECOND);
const RESULT = of("adapters/postgres/connections", "REQUEST.result", SECOND);
const CONNECTION = of("adapters/postgres/connections", "REQUEST.connection", SECOND);
const STANDBY = of("adapters/postgres/connections", "STANDBY.result", SECOND);
const INSERTION = Number(of("adapters/postgres/migrations", "MAX_INSERTION"));
const POOL = found("src/wiring/config.ts", /PETSTORE_DATABASE_POOL: variable\(wholeNumber\((\d+)/);
const PREFIX = found("src/adapters/http/client-address.ts", /\.toString\(\)}\/(\d+)/);
const MIGRATION = written(
  (Number(of("adapters/postgres/migrate", "LOCK_TRIES")) *
    Number(of("adapters/postgres/connections", "MIGRATION.lock"))) /
    SECOND,
);
const STOP = inSeconds(
  "test/commands/workers.long.test.ts",
  /within \d+ s", [\s\S]*?toBeLessThan\(besideLoad\((\d+_000)\)/,
);
const FAILOVER = "test/faults/failover.ts";
const [CADDY, HAPROXY, HELM] = ["deploy/Caddyfile", "deploy/haproxy.cfg", "deploy/helm/petstore/values.yaml"];
const { perMinute: FREE, perDay: FREE_A_DAY } = limitsOf.free;

const { deprecatedAt = 0, removedAt = 0 } = getPet.deprecated ?? {};

/** A moment as a day: 5 December 2030. */
const day = (at: number) => new Date(at).toLocaleDateString("en-GB", { dateStyle: "long", timeZone: "UTC" });

/** How many more than its limit a Free key gets of so many nodes that are alone for so many seconds. */
function bound(nodes: number, seconds: number): string {
  return written(nodes * (FREE / 10 + (seconds * FREE) / 60));
}

/** The delays between the attempts at a webhook, in ms. */
const DELAYS: number[] = new Function(`return ${/DELAYS = (\[.*?\]);/s.exec(read("src/domain/webhooks.ts"))?.[1]}`)();
const delayed = (from: number, to: number, unit: number) =>
  DELAYS.slice(from, to)
    .map((delay) => written(delay / unit))
    .join(", ")
    .replace(/, (?=\d+$)/, to - from > 2 ? " and " : ", ");
const ATTEMPTS = written(Math.round(DELAYS.reduce((sum, delay) => sum + delay) / HOUR));
const DELIVERY = of("domain/webhooks", "DELIVERY_TIMEOUT", SECOND);
const KEPT_DELIVERIES = of("domain/webhooks", "KEPT_DELIVERIES");

const USAGE = [0, 1_000_000].map((rows) => worded(written(usageInterval(rows) / SECOND)));

const facts = [
  // Figures in words.
  `\`budget\` (${worded(written(Number(found("client/src/options.ts", /budget = ([\d_]+)/).replace(",", "")) / MINUTE))} minutes by default)`,
  `${worded(of("adapters/postgres/connections", "MIGRATION.lock", SECOND))} second at a time`,
  `more than ${worded(written(Number(found("client/src/webhooks.ts", /TOLERANCE = (\d+)/)) / 60))} minutes off`,
  `When the ${ordinal(String(DELAYS.length + 1))} attempt fails`,
  `at most every ${inWords("wiring/background-tasks", "LIFETIME", SECOND)} seconds. If the database does not answer within ${inWords("wiring/background-tasks", "WAIT", SECOND)} second`,
  `A ${ordinal(of("adapters/postgres/database", "OPERATORS_PART"))} of them serves operators`,
  `delay clients; a ${ordinal(of("adapters/postgres/database", "TRANSACTIONS_PART"))} serves transactions`,
  `at least a ${ordinal(BURST)} of the limit`,
  `with a burst of a ${ordinal(BURST)} of its limit`,
  `or a ${ordinal(BURST)} of it for each node, beside what the first ${inWords("domain/limits/fallback-counts", "GRACE", SECOND)} seconds allow`,
  `made for ${worded(found("deploy/prometheus/alerts.yml", /> (\d) \* petstore_backup_interval_seconds/))} intervals`,
  `checks \`/readyz\` every ${worded(inSeconds(HAPROXY, /check inter (\d+)ms/)).replace(/ a$/, "")} second`,
  `missing for ${USAGE[0]} seconds, for ${USAGE[1]} while thousands of keys are in use`,
  `at most ${USAGE[0]} seconds old, or ${USAGE[1]} while thousands of keys are in use`,
  `at most the last ${usageInterval(0) / SECOND} seconds are lost, or ${usageInterval(1_000_000) / SECOND} while thousands of keys`,

  `Counters, bans, last use | at most the last ${Number(of("wiring/background-tasks", "WRITE_COUNTERS_INTERVAL")) <= SECOND ? "second" : "minutes"} is lost`,
  `at most ${bound(50, 2)} more than its limit in a pause of 2 seconds, ${bound(50, Number(GRACE))} in one of ${GRACE}, ${written(Number(bound(50, Number(GRACE))) + (50 * FREE) / 10)} in`,

  // Batches.
  `are sent up to ${BATCH} in a request, as a batch`,
  `takes 1 to ${BATCH} pets, each a NewPet`,
  `there are no pets, more than ${BATCH}, or`,
  `The body is larger than ${BATCH_BYTES} KiB`,
  `of a batch of pets than ${BATCH_BYTES} KiB`,
  `\`details\` names it by its place, from 0`,
  `If they do not fit into what remains, the response is ${LIMITED}, and`,
  `That is ${INVALID} \`validation_failed\`: on`,
  `on Free, send at most ${FREE} at once`,
  `content or its scope (${INVALID}, ${FORBIDDEN}, ${TOO_LARGE}, ${UNSUPPORTED}) counts once`,
  `which may be more than 0: send`,
  // Orders.
  `1 to ${orderReference.bounds.maxLength} characters, not blank`,
  `more than ${MOST_READ} pets have to be looked at`,
  `the names of more than ${MOST_READ} pets begin so`,
  `it reads up to ${MOST_READ} to find the page`,
  `of their ids, ${MOST_READ} of them at most for a page`,
  `longer than ${of("domain/pets", "COUNT_TIME")} ms`,
  // The audit log.
  "Changes at or after `from`, and before `to`.",
  // Events.
  `| \`after\` | integer (int64) | 0 | 0 to ${INT64_MAX} |`,
  "With 0 you begin with the oldest event",
  `| \`limit\` | integer | ${PAGE_SIZE} | 1 to ${MOST_ITEMS} | At most this many events.`,
  `1 to ${of("adapters/http/operations/events", "MAX_WAIT")} seconds) waits`,
  `by default ${production.events.days} days, and if`,
  // Webhooks.
  `any 2xx status within ${DELIVERY} seconds`,
  `or none within ${DELIVERY} seconds | The event is tried again`,
  `no more than ${of("adapters/webhooks/send", "MAX_ANSWER", KIB)} KiB of an answer`,
  `over up to ${of("adapters/webhooks/send", "MAX_CONNECTIONS")} connections`,
  `after ${delayed(0, 1, SECOND)} seconds, ${delayed(1, 2, SECOND)} seconds, ${delayed(2, 5, MINUTE)} minutes, ${delayed(5, 9, HOUR)} hours`,
  `after ${ATTEMPTS} hours, the endpoint is disabled`,
  `Its receiver failed for ${ATTEMPTS} hours or answered ${GONE}`,
  `\`description\`, \`after\` | ${CREATED}, \`webhook\``,
  `the changed endpoint; ${NO_CONTENT}, removed`,
  `the last ${KEPT_DELIVERIES} attempts, with`,
  `the last ${KEPT_DELIVERIES} \`deliveries\`, newest first`,
  `another one goes on within ${written(Number(of("domain/webhooks", "LEASE", SECOND)) + 5)} seconds`,
  // Alerts.
  `within ${of("wiring/alerts", "BAN_QUIET", MINUTE)} minutes are one alert. | ${of("wiring/alerts", "BAN_QUIET", MINUTE)} minutes after the ban`,
  `less than ${of("domain/alerts", "FREE_SHARE", 0.01)} % and less than ${of("domain/alerts", "ENOUGH", 1e9)} GB free`,
  `requests of ${of("wiring/alerts", "MINUTES")} minutes, on all nodes together, at least ${of("domain/alerts", "RAISED_SHARE", 0.01)} % and at least ${of("domain/alerts", "LEAST_FAILURES")} got a status of ${INTERNAL} or more. | below ${of("domain/alerts", "ENDED_SHARE", 0.01)} %`,
  `its receiver failed or answered ${GONE}. | when it is enabled`,
  `of each type at most ${of("domain/alerts", "MAX_OPEN")}`,
  `the last ${of("domain/alerts", "KEPT_ALERTS")} that ended are kept. The service looks every ${of("wiring/alerts", "INTERVAL", SECOND)} seconds`,
  // The interface: resources, parameters, requests.
  `1 to ${NAME} Unicode code points, at least one of them not white space`,
  `1 to ${NAME} characters, as in a NewPet`,
  `1 to ${CATEGORY_NAME} Unicode code points, with the same rules`,
  `1 to ${CATEGORY_NAME} characters | Only the category with this name`,
  `${PAGE_SIZE}, or all of \`ids\` | 1 to ${MOST_ITEMS} |`,
  `pages of ${PAGE_SIZE} pets, or up to ${MOST_ITEMS} with \`limit\``,
  `1 to ${MOST_IDS} ids, each any int64`,
  `1 to ${MOST_IDS} ids, each from 1 to ${INT64_MAX}`,
  `up to ${MOST_IDS} ids in one request`,
  `requests ${MOST_IDS} at a time`,
  `of ${MOST_ITEMS} pets each or \`limit\``,
  `integer (int64) | none | 1 to ${INT64_MAX}`,
  `integer (int64) | none | 0 to ${INT64_MAX}`,
  `integer (int64) | none | ${String(INT64_MIN).replace("-", "−")} to ${INT64_MAX}`,
  `int64 range, ${String(INT64_MIN).replace("-", "−")} to ${INT64_MAX}, in requests`,
  `keeps all digits of \`categoryId\` ${INT64_MAX}`,
  `no control characters (U+0000 to U+001F, U+007F to U+009F)`,
  `at most ${LEVELS} levels deep`,
  `nested deeper than ${LEVELS} levels`,
  `${LEVELS} levels, valid UTF-8`,
  `does not arrive within ${ARRIVAL} seconds is refused`,
  `did not arrive completely within ${ARRIVAL} seconds`,
  `Bodies up to ${BODY} KiB, within ${ARRIVAL} seconds`,
  `is idle for ${ARRIVAL} seconds`,
  `headers that take more than ${ARRIVAL} seconds`,
  `incomplete, or takes more than ${ARRIVAL} seconds`,
  `of which nothing arrives for ${ARRIVAL} seconds`,
  `when nothing of it arrives for ${ARRIVAL} seconds`,
  `does not read an answer within ${ARRIVAL} seconds, and a second more for each ${of("adapters/listen/connection", "MIN_RATE", KIB)} KiB of it`,
  `The body is larger than ${BODY} KiB`,
  `body over ${BODY} KiB`,
  `a body that may be larger than ${BODY} KiB`,
  `reads at most ${of("adapters/listen/connection", "MAX_LINGERING", KIB)} KiB more, for at most ${of("adapters/listen/connection", "LINGER_TIMEOUT", SECOND)} second`,
  `request line and headers over ${HEAD} KiB`,
  `the headers together are larger than ${HEAD} KiB`,
  `has 1 to ${of("domain/requests", "MAX_REQUEST_ID_LENGTH")} characters of`,
  `\`X-Request-Id\`, for ${of("adapters/http/cors", "MAX_AGE", 3_600)} hours`,
  `more than ${of("adapters/http/responses", "MAX_ELEMENTS")} elements, matches nothing: ${PRECONDITION}`,
  `1 to ${IDEMPOTENCY_KEY} printable ASCII characters`,
  `stored for ${IDEMPOTENCY} hours, in the same transaction`,
  `within the last ${IDEMPOTENCY} hours: for another operation`,
  `valid for ${IDEMPOTENCY} hours; the same key`,
  `these are kept for ${IDEMPOTENCY} hours, and a retention`,
  `in that of its plan, for ${of("domain/usage/counting", "retention.day", 86_400_000)} days`,
  `with \`PETSTORE_KEYS_DAYS=${of("domain/usage/counting", "retention.day", DAY)}\` or more they miss none`,
  `within ${inSeconds("test/clients/rehearsals.ts", /OBSERVED = ([\d_]+)/)} seconds when ${found("test/clients/rehearsals.ts", /WORKERS = (\d+)/)} workers list pets, with a limit of ${found("test/clients/rehearsals.ts", /WORKERS = (\d+)/)} requests per minute`,
  `here ${found("test/clients/rehearsals.ts", /RETRY_AFTER = (\d+)/)} seconds and 1 second`,
  `the minute window asks for up to ${found("src/domain/limits/limits.ts", /MINUTE = (\d+)/)} seconds`,
  `all pages of pets and categories, with \`limit=${MOST_ITEMS}\``,
  `10 to 100 rows at a time with pauses of ${of("wiring/background-tasks", "BATCH_PAUSE")} ms`,
  `within ${IDEMPOTENCY} hours adds no pet twice`,
  `at most ${INSERTION + 1} seconds. Its own address`,
  `all later pets within ${INSERTION + 1} s`,

  // Statuses.
  `authentication: ${UNAUTHENTICATED} ban and limits: ${LIMITED}; of a batch, 6 to 8 come before its pets are counted - \`Petstore-Simulate\`: ${INVALID} on production`,
  `${NOT_FOUND} \`not_found\`, ${NOT_ALLOWED} sunset: ${GONE} scope: ${FORBIDDEN} size of the body: ${TOO_LARGE} media type: ${UNSUPPORTED} JSON, validation and parameters: ${INVALID} existence`,
  `then \`If-None-Match\`: ${PRECONDITION} current state`,
  `${CONFLICT} \`idempotency_in_progress\`, ${REUSED} A`,
  `it skips 9 to 11 and the check of its category, and gets the first response, ${CONFLICT} \`idempotency_in_progress\` or ${REUSED},`,
  `host name: ${FORBIDDEN} credentials: ${UNAUTHENTICATED}, and their limit: ${LIMITED} cross-site request: ${FORBIDDEN} route: ${NOT_FOUND}, ${NOT_ALLOWED} role: ${FORBIDDEN} body: ${TOO_LARGE}, ${UNSUPPORTED}, ${INVALID} existence: ${NOT_FOUND} \`If-Match\`, \`If-None-Match\`: ${PRECONDITION} state: ${CONFLICT} \`Idempotency-Key\`: ${CONFLICT}, ${REUSED}`,
  `On ${FORBIDDEN} it contains \`error="insufficient_scope"`,
  `The same name again is ${OK}, and changes nothing`,
  `where no category exists, it is ${PRECONDITION}, also`,
  `and the others are ${PRECONDITION}.`,
  `changes nothing gets ${OK}, and the pet keeps its ETag.`,
  `the second one is ${PRECONDITION}, and the pet shows`,
  `begins again after a ${PRECONDITION}`,
  `the response is ${NOT_MODIFIED} without a body`,
  `the response is ${NOT_MODIFIED}.`,
  `is not the id of a pet is ${NOT_FOUND}:`,
  `${OK} and an empty array`,
  `matches is ${OK} with \`[]\``,
  `on some ${INVALID}s only`,
  `\`Retry-After\`: ${LIMITED}, ${UNAVAILABLE} and`,
  `A ${INTERNAL} may go away`,
  `The first ${CREATED} again`,
  `A ${CREATED} means that the pet is on`,
  `is answered with ${NO_CONTENT}, and counts nowhere`,
  `any other method: ${UNAUTHENTICATED} without a key, ${NOT_ALLOWED} with one`,
  `| \`/livez\` | ${OK} `,
  `| \`/readyz\` | ${OK} `,
  `takes no writes; ${UNAVAILABLE} when it cannot read`,
  `refused with ${LIMITED} counts in neither`,
  `On a ${LIMITED}, the window that refused`,
  `On ${LIMITED}, ${UNAVAILABLE} and the ${CONFLICT} `,
  `A ${LIMITED} with requests remaining, unless it is a batch's,`,
  `without a valid key (${UNAUTHENTICATED}) are counted`,
  `for this one window, and ${LIMITED} `,
  `without a category: ${INVALID} `,
  `does not exist (${INVALID})`,
  `refused with ${UNAUTHENTICATED}, ${NOT_FOUND}, ${TOO_LARGE} or ${LIMITED}, and`,
  `(statuses from ${INVALID} on)`,
  `| Path | ${OK} | Otherwise |`,
  `\`read-only\`). | ${UNAVAILABLE} when it cannot read`,
  `The ${UNAVAILABLE} of a stop`,
  `\`/readyz\` returns ${UNAVAILABLE},`,
  `\`/readyz\` is ${UNAVAILABLE}, \`/livez\` ${OK}, shortly`,
  `\`/readyz\` is ${UNAVAILABLE}`,
  `The service notices, returns ${UNAVAILABLE}, and logs`,
  `the first one answers ${UNAVAILABLE} before`,
  `everything else is ${UNAVAILABLE} until`,
  `a damaged page get ${UNAVAILABLE}.`,
  `returned ${INTERNAL} or ${UNAVAILABLE}:`,
  `(without ${LIMITED})`,
  `answered with ${CREATED} | kept`,
  `not there; ${UNAVAILABLE} |`,
  `fails to sync, creations get ${UNAVAILABLE},`,
  `The write gets ${UNAVAILABLE} and is shown to nobody; later ones get ${UNAVAILABLE},`,
  `Everything gets ${UNAVAILABLE}`,
  `Creations get ${UNAVAILABLE}, lists work`,
  `Creations and changes get ${UNAVAILABLE}`,
  `acknowledged any more: ${UNAVAILABLE},`,
  `changes get ${UNAVAILABLE} within`,
  `A client gets ${LIMITED} all day`,
  `clients get ${LIMITED} together`,
  `| A ${INTERNAL} | A bug`,
  `is a creation that got ${CREATED}. One that got ${UNAVAILABLE} was not`,
  `killed, for 2 s | ${UNAVAILABLE} with \`Retry-After\``,
  `standby | ${UNAVAILABLE} meanwhile`,
  `its Patroni too | ${UNAVAILABLE} until`,
  `for 8 s | ${UNAVAILABLE} within`,
  `no pet that was ${UNAVAILABLE} is added`,
  `A creation that got ${UNAVAILABLE} because`,
  `a creation with ${UNAVAILABLE} may still`,
  `One that answers ${UNAVAILABLE} gets no new`,
  `counts the responses with ${OK}`,
  `A ${LIMITED} has the number of seconds`,
  `\`Retry-After\` after a ${LIMITED}:`,
  `happens to you: a ${LIMITED}, a ban`,
  `a ${UNAUTHENTICATED} shows the limit of your address`,
  `Other combinations are ${INVALID},`,
  `the next two requests get ${UNAVAILABLE}`,
  `believes a rehearsed ${LIMITED}:`,
  `Rehearse each ${LIMITED} with`,
  `Authentication (${UNAUTHENTICATED}) and limits (${LIMITED}) come first`,
  `any on production, is ${INVALID}.`,
  `refuses the header with ${INVALID}.`,
  `with the status 408, the headers`,
  `Its ${INVALID} and 408 have no`,
  `headers from 15 KiB on, and answers ${INVALID} \`invalid_parameter\` from 31 KiB on`,
  `refuses before, with ${UNAUTHENTICATED} or because`,

  // Keys, limits and bans.
  `of ${of("domain/limits/limits", "MINUTE")} seconds and of ${of("domain/limits/limits", "DAY", 3_600)} hours:`,
  `at most ${of("domain/limits/limits", "MINUTE")} seconds or ${of("domain/limits/limits", "DAY", 3_600)} hours later`,
  `\`${FREE}\` | The limit of the window`,
  `\`${FREE - 1}\` | Requests left in that window`,
  `\`"minute";q=${FREE};w=60, "day";q=${FREE_A_DAY};w=86400\` | Both windows`,
  `\`"minute";r=${FREE - 1};t=60, "day";r=${FREE_A_DAY - 1};t=86400\` | Both windows`,
  `Its ${FREE + 1}st request`,
  `a key with \`plan: "free"\` and ${FREE + 1} requests`,
  `Of a key with ${FREE} requests per minute`,
  `to wait, rounded up, at least ${found("src/domain/limits/limits.ts", /Math\.max\((\d), Math\.ceil/)}.`,
  `\`Retry-After\` is then at most ${LONGEST_WAIT}.`,
  `a wait of at most ${LONGEST_WAIT} seconds, and are no strikes`,
  `\`key_banned\`, \`Retry-After\` may be up to ${BAN(3, 3_600)} hours`,
  `IPv6 addresses by their /${PREFIX}: ${production.addressLimit} requests per minute`,
  `(IPv6 by its /${PREFIX})`,
  `a strike if it comes ${of("domain/limits/limits", "BURST_GRACE", SECOND)} seconds or more`,
  `${STRIKES} strikes within ${of("domain/limits/limits", "STRIKE_LIFETIME", 60)} minutes ban the key; if its limit per minute is above ${STRIKES}, that`,
  `Duration. ${BAN(0, 60)} minutes; then ${BAN(1, 60)} minutes, ${BAN(2, 3_600)} hour and ${BAN(3, 3_600)} hours, if the next ban comes within ${of("domain/limits/limits", "ESCALATION_PERIOD", 3_600)} hours`,
  `is, ${of("wiring/service", "FREE_USES")} times per minute together`,
  `Beyond that the response is ${LIMITED} \`rate_limit_exceeded\`, which`,
  `after a ${LIMITED} or a ${UNAVAILABLE} the seconds`,
  `at most ${MAX_MESSAGE_BYTES / KIB} KiB; the response`,
  `${VERSIONS[0]}, in which`,
  `and ${VERSIONS[1]} and ${VERSIONS[2]}, which begin`,
  `The message is no JSON (${rpc("PARSE_ERROR")}), no request (${rpc("INVALID_REQUEST")}), such as a batch, or has wrong parameters (${rpc("INVALID_PARAMS")}); header and message differ (${rpc("HEADER_MISMATCH")}); the version is unknown (${rpc("UNSUPPORTED_VERSION")})`,
  `An unknown method, in version ${VERSIONS[0]} (${rpc("METHOD_NOT_FOUND")})`,
  `You can send ${of("wiring/service", "FREE_USES")} requests per minute to it and to your key`,
  `with \`GET /usage\`, can be sent ${of("wiring/service", "FREE_USES")} times per minute`,
  `array of ${of("adapters/http/operations/key", "DAYS")} | Today and the ${Number(of("adapters/http/operations/key", "DAYS")) - 1} days before it`,
  `0 to ${written(366 * 86_400)} seconds. Default: ${of("domain/keys/secret", "DEFAULT_GRACE", SECOND)}, 24 hours`,
  `by default those of the last ${readConfig({}).requestHistory.hours} hours, and ${written(readConfig({}).requestHistory.requests)} of all keys together`,
  `integer | ${found("src/adapters/http/operations/key.ts", /pageLimit\(MAX_PAGE, (\d+)\)/)} | 1 to ${of("adapters/http/operations/key", "MAX_PAGE")} | Largest number of requests`,
  `cannot rotate the key: the response is ${statusOf("insufficient_scope")}`,
  `A key gets at most ${of("domain/keys/administration", "MAX_ROTATIONS")} secrets in ${of("domain/keys/administration", "ROTATION_PERIOD", 3_600_000)} hours`,
  `array of ${of("adapters/memory/usage", "HOURS")} | The current hour and the ${Number(of("adapters/memory/usage", "HOURS")) - 1} before it`,
  `the first of the ${of("adapters/memory/usage", "HOURS")} hours`,
  `\`X-RateLimit-Remaining\` is 0.`,
  `\`X-RateLimit-Remaining\` and \`r\` are 0.`,
  `${of("domain/keys/secret", "RANDOM_LENGTH")} random characters`,
  `${of("domain/keys/secret", "CHECKSUM_LENGTH")} characters: the CRC-32`,
  `in base ${found("src/domain/keys/secret.ts", /each of the (\d+) equally/)} with`,
  `a grace period: ${of("domain/keys/secret", "DEFAULT_GRACE", HOUR)} hours by default`,
  `\`graceSeconds\` (${of("domain/keys/secret", "DEFAULT_GRACE", SECOND).replace(",", "")})`,
  `secrets of up to ${of("adapters/memory/key-cache", "MAX_KEYS")} keys in use`,
  `Keys are cached for ${of("adapters/memory/key-cache", "MAX_AGE", SECOND)} s`,

  ...(["free", "pro", "business"] as const).map((plan) => {
    const { perMinute, perDay } = limitsOf[plan];
    return `${plan.replace(/^./, (letter) => letter.toUpperCase())} | ${written(perMinute)} | ${written(perDay)} |`;
  }),

  // What tests measure against.
  ...[FAILOVER, "test/faults/postgres.ts"].flatMap((path) => [
    `answered within ${inSeconds(path, /toBeLessThan\(besideLoad\((2_\d+)\)/)} s`,
    `${UNAVAILABLE} within ${inSeconds(path, /toBeLessThan\(besideLoad\((2_\d+)\)/)} s`,
  ]),
  `${UNAVAILABLE} with \`Retry-After\` within ${inSeconds("test/faults/postgres.ts", /toBeLessThan\(besideLoad\((1_\d+)\)/)} s, normal within ${inSeconds("test/faults/postgres.ts", /back \+ (\d_\d+)/)} s of its return`,
  `returns by itself within ${inSeconds("test/faults/redis.ts", /ended\)\.toBeLessThan\(besideLoad\((\d_\d+)\)/)} s`,
  `in flight end within ${inSeconds("test/faults/nodes-behind-haproxy.ts", /slowest\)\.toBeLessThan\(besideLoad\((\d_\d+)\)/)} s`,

  // Several nodes, Redis and PostgreSQL.
  `less than ${ALONE} seconds is no matter`,
  `read-only, for more than ${ALONE} seconds, each node`,
  `requests wait for ${ALONE} s first`,
  `Pause of ${ALONE} s | 2 s | ${GRACE} s | longer, until the first minute after ${GRACE} s ends`,
  `After ${GRACE} seconds alone`,
  `begins in these ${GRACE} seconds has the whole limit`,
  `ended at most ${GRACE} seconds before Redis failed`,
  `T at most ${GRACE}, also`,
  `in which the ${GRACE} seconds were over`,
  `away for more than ${GRACE} seconds`,
  `of its limit (at least 1), until nothing remains`,
  `at most N × (L/10 + T × L/60) more`,
  `at most L or N × L/10, whichever is more, for at most 60 seconds`,
  `at most N − 1 more than the limit`,
  `| 1 | 0 | 0 | 0 | 0 | 0 |`,
  ...[2, 3, 50].map(
    (nodes) =>
      `| ${nodes} | 0 | at most ${bound(nodes, 2)} | at most ${bound(nodes, Number(GRACE))} | at most ${written(
        Number(bound(nodes, Number(GRACE)).replace(",", "")) + Math.max(FREE, (nodes * FREE) / 10),
      )} | at most ${nodes - 1} |`,
  ),
  `with three nodes and ${FREE} requests per minute at most ${bound(3, 2)} in a pause of two seconds`,
  `of up to ${UNSEEN} keys`,
  `Every ${of("wiring/background-tasks", "CHECK_EVICTION_INTERVAL", SECOND)} seconds each node asks`,
  `stay open for ${INSERTION} s, because their node hangs`,
  `waits up to ${LOCK} s for a lock and runs for up to ${STATEMENT} s, one of an operator for up to ${found("src/adapters/postgres/connections.ts", /statement: (10_000)/).replace(",000", "")} s, a page of an export for up to ${of("adapters/postgres/connections", "EXPORT.statement", SECOND)} s. A migration waits up to ${MIGRATION} s for a lock`,
  `half a second at a time and ${MIGRATION} s in all`,
  `at most ${CONNECTION} s for a connection and ${RESULT} s for a result. The server itself gives up a statement after ${LOCK} s of waiting for a lock, or after ${STATEMENT} s.`,
  `the service gives up after ${RESULT} s itself`,
  `delays a read by at most ${STANDBY} s`,
  `costs a request at most ${STANDBY} s`,
  `another of the ${of("adapters/sql/pets", "SHARDS")} rows`,
  `per process, at least ${POOL}.`,
  `\`PETSTORE_DATABASE_POOL\`, at least ${POOL}.`,
  `differs by more than ${CLOCK_WARNING} or ${CLOCK_WRONG} s from`,
  `It warns above ${CLOCK_WARNING} s, and is not ready above ${CLOCK_WRONG} s.`,

  // One machine: workers, start and stop, the database's files.
  `has not answered for ${UNANSWERED} seconds, or does not listen ${START} seconds after its start`,
  `killed after ${UNANSWERED} s without an answer`,
  `that they share: ${Math.round(2 ** 20 / 1e6)} MB in the system's directory`,
  `not stopped after ${WORKER_STOP} seconds is killed`,
  `did not answer a worker for ${of("wiring/limits", "PARENT_PATIENCE", SECOND)} second.`,
  `After ${of("wiring/service", "CLOSE_NOTICE", SECOND)} seconds the service accepts no new connections, and gives requests in flight up to ${of("wiring/service", "STOP_TIMEOUT", SECOND)} seconds.`,
  `does so for another ${of("wiring/service", "CLOSE_NOTICE", SECOND)} s`,
  `at least ${of("commands/serve", "SAME_SIGNAL", SECOND)} second after the first, ends the process at once with 1:`,
  `exits with 0, at most ${STOP} seconds after the signal`,
  `stops within ${STOP} seconds of SIGTERM`,
  `Exit 0 within ${STOP} s`,
  `exit 0 within ${STOP} s`,
  `gives it ${found("deploy/petstore.service", /TimeoutStopSec=(\d+)/)} seconds to stop`,
  `keeps ${of("adapters/sqlite/reserve", "SIZE", MIB)} MiB of the disk free, or ${of("adapters/sqlite/reserve", "SHARE").replace(/^8$/, "an eighth")} of a small disk`,
  "every process makes files with the mode 0600 and directories with 0700",
  `a creation waits for it up to ${BUSY} seconds, then gets ${UNAVAILABLE}`,
  `Creations wait up to ${BUSY} s, then get ${UNAVAILABLE}`,
  `locks the file for over ${BUSY} seconds`,
  `have to wait for longer than ${of("adapters/sqlite/group-commit", "SYNC_TIMEOUT", SECOND)} s get ${UNAVAILABLE}`,
  `takes ${of("adapters/sqlite/checkpoints", "SLOW_DISK.slow")} ms or longer, another thread`,
  `up to ${RESERVED} reserved ids`,
  `up to ${RESERVED} ids are skipped`,
  `stopped after ${CHECK} seconds, so that`,
  `reports it within ${CHECK} s`,
  `contain SQLite ${/MIN_SQLITE_VERSION = "([\d.]+)"/.exec(read("src/adapters/sqlite/open.ts"))?.[1]} or newer`,
  `kept for ${of("domain/usage/counting", "retention.minute", DAY)} days, hours for ${of("domain/usage/counting", "retention.hour", DAY)}, days for ${of("domain/usage/counting", "retention.day", DAY)}; every minute`,
  `${HISTORY} of them, for ${production.requestHistory.hours} hours`,
  `MB for ${HISTORY} requests`,
  `cut after ${of("domain/requests", "MAX_PATH_LENGTH")} characters`,
  `disguise a key. ${found("src/domain/requests.ts", /\|\[0-9A-Za-z\]\{(\d+),\}/)} or more letters`,
  `in memory, up to ${Math.floor((Number(of("adapters/history/buffer", "MAX_PENDING")) * Number(of("adapters/history/buffer", "BATCH_SIZE", KIB))) / 1_024)} MB, and further ones`,
  `at most ${of("adapters/opentelemetry/tracing", "MAX_QUEUE_SIZE")} spans wait`,
  `last ${inWords("domain/limits/limits", "STRIKE_LIFETIME", 60)} minutes; see bans`,
  `accurate to ${inWords("adapters/http/checks", "LAST_USE_ACCURACY", MINUTE).replace("one", "a")} minute`,
  `timer fires, ${written(SECOND / Number(of("adapters/prometheus/metrics", "INTERVAL"))).replace("10", "ten")} times per second`,
  `tries for at most ${of("adapters/opentelemetry/tracing", "STOP_TIMEOUT", SECOND)} seconds to send`,
  `(${["info", "warn", "error"].map((level) => `${levels.values[level]} ${level}`).join(", ")})`,

  // Backups, imports, samples and commands.
  `\`PETSTORE_BACKUP_KEEP\` | ${production.backups?.keep} |`,
  `tried again after ${of("wiring/backups/backups", "RETRY_PAUSE", MINUTE)} minutes`,
  `Files above ${of("adapters/s3/client", "PART", MIB)} MiB are uploaded in parts`,
  `sent again, up to ${inWords("adapters/s3/client", "ATTEMPTS")} times in all; one that is not answered within ${of("adapters/s3/client", "TIMEOUT", SECOND)} seconds, or ${inWords("adapters/s3/client", "PART_TIMEOUT", MINUTE)} minutes for a part`,
  `no more than ${Number(of("adapters/http/admin/files", "BURST", KIB)) / Number(of("adapters/http/admin/files", "PAUSE"))} MB per second`,
  `sample data: ${CATEGORIES} categories, ${PETS} pets`,
  `${PETS} pets in ${CATEGORIES} categories`,
  `a sample shop: ${PETS} pets, ${CATEGORIES} categories, and orders of the last ${PERIOD} days`,
  `placed in the ${PERIOD} days before the start`,
  `\`PORT\`, or ${staging.port} | The port`,
  `| \`--pets\` | ${PETS} | How many pets there are, at most ${of("commands/demo", "MAX_PETS")}.`,
  `| \`--seed\` | ${of("domain/shop", "DEFAULT_SEED")} |`,
  `of at most ${SEED_PETS}; import`,
  `at most ${of("commands/lists", "DEFAULT_ROWS")} rows, unless`,
  `over HTTP the first ${of("adapters/files/text", "MOST_HELD", KIB)} KiB are`,
  `A command that fails exits with 1, one with a wrong argument with ${of("main", "USAGE")}.`,
  `lists all errors and exits with 1.`,
  `and exits with 1 if`,
  `It exits with 1 if`,
  "the current time, from 1970 to 9998",
  `The last ${of("testing/controls", "MOST")} requests`,
  `On a Node older than ${NEEDED_NODE}, npm`,
  `Node ${NEEDED_NODE} or newer`,
  `Without \`pets\` there are ${found("src/testing/controls.ts", /pets: z.*default\((\d+)\)/)};`,
  `so much later: 0 to ${of("domain/simulation", "MAX_DELAY")} ms`,
  `${of("adapters/http/simulation", "MOST")} requests can wait at once in a process, ${of("adapters/http/simulation", "MOST_OF_KEY")} of them with one key; one more is ${INVALID}.`,
  `and ${of("adapters/http/simulation", "NO_RESPONSE")} if the connection was cut`,

  // Addresses.
  `ports are ${staging.port} and ${admin(staging)}, and`,
  `${production.admin?.host}:${admin(production)} (staging: ${admin(staging)})`,
  `\`PETSTORE_ADMIN_HOST\` | ${production.admin?.host} |`,
  `\`PETSTORE_ADMIN_PORT\` | ${admin(production)}, on staging ${admin(staging)} |`,
  `publish port ${admin(production)} on`,
  `free port of ${production.host}:`,
  `Port to listen on; ${staging.port} on staging`,
  `the console; ${admin(staging)} on staging`,
  `0 takes any free port`,

  // The administration interface.
  `once, for ${LINK} minutes`,
  `for ${LINK} minutes a link`,
  `for ${LINK} minutes the link`,
  `within the ${LINK} minutes`,
  `session of ${SESSION} hours`,
  `A session lasts ${SESSION} hours`,
  `\`SameSite=Strict\`, ${SESSION} hours`,
  `may fail ${of("wiring/administration", "SIGN_INS")} times per minute`,
  `the ${SESSION} hours of a session`,
  `stay for ${of("adapters/http/admin/operations/single-sign-on", "SIGN_IN_LENGTH", MINUTE)} minutes in a cookie`,
  `the provider for at most ${of("adapters/oidc/single-sign-on", "PATIENCE", SECOND)} seconds`,
  `may fail ${inWords("wiring/administration", "SIGN_INS")} times per minute; failures`,
  `at most ${of("wiring/administration", "FAILURE_ENTRIES")} per minute and node`,
  `at most ${of("domain/usage/reading", "MOST_POINTS")} points`,
  `the most ${LIMITED} responses: ${found("src/adapters/http/admin/operations/usage.ts", /pageLimit\(MOST_KEYS, (\d+)\)/)}, or up to ${of("domain/usage/reading", "MOST_KEYS")}`,
  `it is 0 by default`,
  `\`owner.name\` | 1 to ${OWNER} characters`,
  `accepts, ${of("domain/keys/key", "MAX_EMAIL_LENGTH")} characters at most`,
  `\`note\` | 1 to ${of("domain/keys/key", "MAX_NOTE_LENGTH")} characters`,
  `the first ${of("adapters/http/admin/files", "MOST_REJECTIONS")} invalid lines`,
  `more than ${of("adapters/http/admin/files", "MOST_SOURCE", MIB)} MiB. If the connection`,
  `does nothing for ${of("domain/audit", "IMPORT_PAUSE", MINUTE)} minutes is abandoned`,
  `\`lastLine\` of that result and 1.`,
  `something else is refused with ${INVALID} `,
  `three requests get ${LIMITED}`,
  `with \`token\` | ${CREATED}, the operator`,
  `signs out; ${NO_CONTENT}, signed out`,
  `| ${FOUND}, to the provider; ${SEE_OTHER}, to the console`,
  `\`expiresAt\` | ${CREATED}, \`key\``,
  `| ${CREATED}, the pet |`,
  `the changed pet; ${NO_CONTENT}, removed`,
  `| ${CREATED}, the category,`,
  `the category; ${NO_CONTENT}, removed`,
  `the renamed category; ${CREATED} if there was none`,
  `| ${CREATED}, the order;`,
  `| ${CREATED}, the first \`operator\``,
  `${ACCEPTED}, a backup begins`,
  `the file; ${NO_CONTENT}, deleted; ${ACCEPTED}, the verification`,
  `${ACCEPTED}, the restoration`,
  `${CREATED}, the backup, once`,

  // What a receiver answers, and what an agent and a mirror get.
  `| ${found("src/domain/webhooks.ts", /outcome\.status === (\d+)/)} | The endpoint is disabled.`,
  `made, in Unix ${UNITS[found("src/domain/webhooks.ts", /timestamp = String\(Math\.floor\(now \/ ([\d_]+)\)/)]}.`,
  `| ${OK} | A result, or an error`,
  `| ${found("src/adapters/http/mcp.ts", /id === undefined\) return \(\) => \(\{ status: (\d+)/)} | A notification.`,
  `| ${found("src/adapters/http/mcp.ts", /status = (\d+), data/)} | The message is no JSON`,
  `| ${UNAUTHENTICATED}, ${TOO_LARGE}, ${UNSUPPORTED}, ${LIMITED}, ${UNAVAILABLE} | The same errors`,
  `| ${FORBIDDEN} | The header \`Origin\` names`,
  `| ${NOT_FOUND} | An unknown method`,
  `| ${NOT_ALLOWED} | Any method but`,
  `| ${LIMITED} | Wait as many seconds`,

  // The client.
  `under ${inSeconds("client/test/package/size.test.ts", /toBeLessThan\((\d_\d+)\)/)} kB minified and gzipped`,
  `at a time (${found("client/src/pets.ts", /concurrency = (\d+)/)} by default)`,
  `requests of the last ${of("adapters/memory/usage", "HOURS")} hours`,
  `starts at ${found("client/src/calls.ts", /FIRST_DELAY = (\d+)/)} ms and doubles up to ${inSeconds("client/src/calls.ts", /LONGEST_DELAY = ([\d_]+)/)} s`,
  `\`timeout\` | ${found("client/src/options.ts", /timeout = ([\d_]+)/)} |`,
  `\`maxRetries\` | ${found("client/src/options.ts", /maxRetries = (\d+)/)} |`,
  `\`budget\` | ${found("client/src/options.ts", /budget = ([\d_]+)/)} |`,
  `\`ValidationError\` | ${INVALID}, ${TOO_LARGE}, ${UNSUPPORTED}, ${HEADERS} |`,
  `\`AuthenticationError\` | ${UNAUTHENTICATED} |`,
  `\`ScopeError\` | ${FORBIDDEN} |`,
  `\`NotFoundError\` | ${NOT_FOUND} |`,
  `\`ConflictError\` | ${CONFLICT} |`,
  `\`PreconditionError\` | ${PRECONDITION} |`,
  `\`IdempotencyError\` | ${CONFLICT}, ${REUSED} |`,
  `\`RemovedError\` | ${GONE} |`,
  `\`RateLimitError\` | ${LIMITED} |`,
  `\`PetstoreError\` itself | ${NOT_ALLOWED}, ${GONE} |`,
  `longer than \`timeout\`, 408, ${LIMITED}, 5xx`,
  `A ${CONFLICT} or ${PRECONDITION} may be due`,
  `waits only after a ${LIMITED}.`,
  `deprecated since ${day(deprecatedAt)} and will be removed on ${day(removedAt)}`,
  `From ${new Date(removedAt).toISOString().replace(".000", "")} it answers ${GONE}`,
  `on ${day(removedAt)}`,
  `from ${day(removedAt)} `,

  // The texts of the OpenAPI documents.
  `After a ${LIMITED}, wait for the seconds in`,
  `(on a ${LIMITED}: the window that refused)`,
  `on ${FORBIDDEN} the scope that is missing`,
  `On ${INVALID}: every problem of the request`,
  `Today and the ${Number(of("adapters/http/operations/key", "DAYS")) - 1} days before it`,
  `4xx without ${LIMITED}.`,
  `4xx is without ${LIMITED}.`,
  `The window of ${of("domain/limits/limits", "MINUTE")} seconds.`,
  `The window of ${of("domain/limits/limits", "DAY", 3_600)} hours.`,
  `Strikes in the last ${inWords("domain/limits/limits", "STRIKE_LIFETIME", 60)} minutes.`,
  `The current hour and the ${Number(of("adapters/memory/usage", "HOURS")) - 1} before it`,
  `An int64 from 0 to ${INT64_MAX}.`,
  `\`delay=<ms>\` up to ${of("domain/simulation", "MAX_DELAY").replace(",", "")},`,
  `Too many requests in ${of("domain/limits/limits", "DAY", 3_600)} hours.`,
  `the headers together exceed ${HEAD} KiB`,
  `on disk before the service returns ${CREATED}.`,
  `you can retry safely: for ${IDEMPOTENCY} hours a repeated request`,
  `among those of the API key, for ${IDEMPOTENCY} hours.`,
  `among those of the operator, for ${IDEMPOTENCY} hours.`,
  `is refused with ${LIMITED} if so many do not remain`,
  `Any other text leads to ${NOT_FOUND}.`,
  `Otherwise the response is ${PRECONDITION}.`,
  `With 0 the page begins with the oldest event`,
  `may be sent ${of("wiring/service", "FREE_USES")} times per minute`,
  `Beyond ${of("wiring/service", "FREE_USES")} requests per minute it is refused with ${LIMITED}, which`,
  `key's requests in the last ${of("adapters/memory/usage", "HOURS")} hours.`,
  `The last ${of("domain/usage/reading", "counts.hour")} minutes. The last ${of("domain/usage/reading", "counts.day")} hours. The last ${of("domain/usage/reading", "counts.month")} days.`,
  `Responses with status ${LIMITED}.`,
  `The length of this period until now: ${60 * (Number(of("domain/usage/reading", "counts.live")) - 1)} to ${60 * Number(of("domain/usage/reading", "counts.live"))} seconds.`,
  `because the receiver answered ${GONE}`,
  `keeps in a cookie of ${of("adapters/http/admin/operations/single-sign-on", "SIGN_IN_LENGTH", MINUTE)} minutes what`,
  `the first ${of("adapters/http/admin/files", "MOST_REJECTIONS")} \`rejections\``,
  "the `lastLine` that was imported + 1.",
  `kept for ${of("domain/usage/counting", "retention.minute", DAY)} days, hours for ${of("domain/usage/counting", "retention.hour", DAY)} and days for ${of("domain/usage/counting", "retention.day", DAY)}; a response has`,
  `By default the response has ${of("domain/usage/reading", "DEFAULT_POINTS.minute")} minutes, ${of("domain/usage/reading", "DEFAULT_POINTS.hour")} hours or ${of("domain/usage/reading", "DEFAULT_POINTS.day")} days.`,
  `contain this text: the newest ${of("domain/requests", "MOST_NAMED_KEYS")} of them`,
  `newest first, at most ${of("domain/requests", "MOST_OF_ONE_ID")}: there are several`,
  `Lists the last ${KEPT_DELIVERIES} attempts`,
  `as for an import, of at most ${SEED_PETS} pets`,
  `Production refuses with ${CONFLICT}.`,
  `Each address may fail ${inWords("wiring/administration", "SIGN_INS")} times per minute`,

  // One of a unit.
  ...(() => {
    const known = oneOf("adapters/memory/key-cache", "MAX_AGE");
    const grace = oneOf("domain/keys/secret", "DEFAULT_GRACE");
    const clocks = oneOf("wiring/background-tasks", "COMPARE_CLOCKS_INTERVAL");
    return [
      `takes effect within ${known}`,
      `applies each change within ${known}.`,
      `Reads follow within ${known}.`,
      `until the grace period ends, after ${grace} by default`,
      `Until the grace period ends, after ${grace} by default`,
      `Rotate it. For ${grace}, or as long as you say`,
      `not ready within ${clocks}, and ready within ${clocks} of the correction`,
      `The node notices within ${clocks}.`,
      `its entry, within ${oneOf("wiring/background-tasks", "CLEAN_UP_INTERVAL")}.`,
      `does not answer for ${oneOf("wiring/limits", "PARENT_PATIENCE")} counts as failed`,
      `answered may be missing for ${oneOf("wiring/background-tasks", "WRITE_REQUESTS_INTERVAL")}.`,
      `has room for ${times("src/adapters/sqlite/reserve.ts", />= (\d) \* this\.#size/)} as much.`,
      `when ${times("src/domain/alerts.ts", />= (\d) \* least/)} as much is free`,
    ];
  })(),

  // Proxies, containers.
  `needs Caddy ${/Needs Caddy ([\d.]+) or newer/.exec(read(CADDY))?.[1]} or newer`,
  `Against slow clients: ${found(HAPROXY, /timeout http-request (\d+)s/)} seconds for the headers, ${found(HAPROXY, /timeout client (\d+)s/)} seconds without traffic, ${found(HAPROXY, /sc0_conn_cur gt (\d+)/)} connections per address`,
  `${of("adapters/opentelemetry/tracing", "SEND_INTERVAL", SECOND).replace(/^1$/, "a second")} after they end`,
  `A node has ${found(HAPROXY, /set-timeout server (\d+)s/)} seconds for a request that may wait for events, and ${found(HAPROXY, /timeout server (\d+)s\n/)} seconds for any other`,
  `Against slow clients: ${found(CADDY, /read_header (\d+)s/)} seconds for the headers, ${found(CADDY, /read_body (\d+)s/)} seconds for the body`,
  `restart of the node wait for up to ${found(CADDY, /lb_try_duration (\d+)s/)} seconds`,
  `meanwhile for up to ${found(CADDY, /lb_try_duration (\d+)s/)} seconds`,
  `${NOT_ALLOWED} for unknown methods, ${TOO_LARGE} for bodies of ${found(CADDY, /@others \{\s+max_size (\d+)KB/)} KB and more, or ${found(CADDY, /@batch \{\s+max_size (\d+)KB/)} KB of a batch or of a message of an agent, ${INVALID} for a body that is malformed or slow, ${UNAVAILABLE} if the node`,
  `has plain text: ${INVALID}, ${HEADERS} for headers over ${Number(found(CADDY, /max_header_size (\d+)KB/)) + 4} KiB (over HTTP/2 ${found(CADDY, /max_header_size (\d+)KB/)} KB), and 501 for`,
  `${NOT_ALLOWED} for unknown methods, ${HEADERS} for headers over 15 KiB, ${INVALID} for malformed requests, 408 for slow clients, ${UNAVAILABLE} if no node`,
  `the ${INVALID} and 408 of its parser`,
  `Another host's name gets ${found(CADDY, /# (421) for another host/)},`,
  `checks \`/readyz\` every ${found(HAPROXY, /check inter (\d+)ms/).replace("500", "half")} second, and`,
  `and waits ${inSeconds(HAPROXY, /timeout check (\d+)ms/)} s for it`,
  `machines, ${found(HELM, /minReplicas: (\d+)/)} to ${found(HELM, /maxReplicas: (\d+)/)} by processor load`,
  `and port ${found("deploy/kubernetes/network-policy.yaml", /2000::\S+ \}\s+ports:\s+- \{ port: (\d+)/)} of public addresses`,
  `user \`nonroot\`, ${found("deploy/helm/petstore/templates/_pod.tpl", /runAsUser: (\d+)/).replace(",", "")}:`,
  `ports ${found(CADDY, /HTTP_PORT:(\d+)/)} and ${found(CADDY, /HTTPS_PORT:(\d+)/)}.`,
];

/** Those of how the stores work, for developers. */
const ofStores = (() => {
  const sqlite = (name: string, unit = 1) => of("adapters/sqlite/checkpoints", `SLOW_DISK.${name}`, unit);
  const postgres = (file: string, name: string, unit = 1) => of(`adapters/postgres/${file}`, name, unit);
  const ms = (text: string) => Number(text.replaceAll(",", ""));
  const cells = ms(of("adapters/socket/shared-counts", "SHARED_BYTES")) / 4;
  const generations = 2 ** (31 - ms(of("adapters/socket/shared-counts", "TAKEN_BITS")));
  const bytesOfBatch = ms(of("wiring/imports", "MOST_BYTES", KIB)) + ms(BODY);
  const page = of("adapters/sqlite/counters", "KEYS_PER_PAGE");
  const pause = of("wiring/background-tasks", "WRITE_COUNTERS_INTERVAL") === "500" ? "twice" : "otherwise";
  return [
    `Up to ${inWords("adapters/sqlite/files", "SYNCS")} commits are on their way`,
    `take ${sqlite("oneAtATime")} times as long as one alone`,
    `last sync took ${sqlite("slow")} ms or longer`,
    `in parts of ${sqlite("part")} pages and begins again after ${sqlite("long")}`,
    `one for each ${worded(sqlite("beside"))} writes`,
    `read in pieces of ${of("adapters/files/input", "MAX_BYTES", KIB)} KiB`,
    `with a turn of the event loop ${of("adapters/files/input", "SLICE") === "1" ? "every millisecond" : "less often"}`,
    `a batch has about ${of("domain/pets", "BATCH")} lines of at most ${bytesOfBatch} KiB`,
    `${of("wiring/imports", "CHANGES_AT_ONCE")} at once`,
    `multiplied by ${of("adapters/sqlite/migrate", "OLDEST")}`,
    `of at most ${found("src/adapters/history/segments.ts", /segmentSize = (\d+) \* 1024/)} KiB in all (${found("src/adapters/history/segments.ts", /segmentSize = (\d+) \* 1024;[\s\S]*segmentSize = \d+/).replace("128", "512")} in a file`,
    `kept on pages of ${page} keys`,
    `written ${pause} per second if a state`,
    `to SQLite in pages of ${page} keys`,
    `A state is ${inWords("domain/limits/limit-states", "NUMBERS")} numbers of 32 bits`,
    `each block of ${2 ** ms(found("src/adapters/sqlite/migrations.ts", /new\.id >> (\d+)/))} ids contains`,
    `adds up to ${inWords("adapters/postgres/usage", "MERGED_AT_ONCE")} writes`,
    `look again after ${postgres("usage", "FIRST_PAUSE")} to ${postgres("usage", "LONGEST_PAUSE")} ms`,
    `filled to the ${found("src/adapters/postgres/migrations.ts", /fillfactor = (\d+)/) === "50" ? "half" : "brim"}`,
    `every ${found("src/adapters/postgres/changes.ts", /nodes: (\d+)/)} ms for those of other nodes, ${of("adapters/sql/records", "LOOK_INTERVAL")} ms for those of other workers`,
    `cached for ${of("adapters/memory/key-cache", "MAX_AGE", SECOND)} s`,
    `at most ${of("adapters/sqlite/database", "MAX_SNAPSHOT_AGE") === "1" ? "a millisecond" : "longer"} earlier`,
    `open for ${postgres("migrations", "MAX_INSERTION")} s is ended`,
    `for ${ms(postgres("changes", "ATTEMPTS")) * ms(postgres("changes", "PAUSE"))} ms, because those of other nodes`,
    `${postgres("connections", "REQUEST.connection", SECOND)} s for a connection, ${postgres("connections", "REQUEST.result", SECOND)} s for a query, then ${UNAVAILABLE}`,
    `cancels a statement after ${postgres("connections", "REQUEST.statement", SECOND)} s`,
    `serialization failure (${/RETRYABLE = \["(\d+)"/.exec(read("src/adapters/postgres/connections.ts"))?.[1]})`,
    `failed after ${of("wiring/limits", "REDIS_PATIENCE")} ms of silence`,
    `a file of ${(cells * 4) / MIB} MB beside its socket`,
    `a ${Int32Array.BYTES_PER_ELEMENT}-byte cell`,
    `only after ${Math.floor((cells * generations) / 1e8) * 100} million counts`,
    `added every ${worded(written(usageInterval(0) / SECOND))} seconds, or up to ${worded(written(usageInterval(1e9) / SECOND))} with many keys`,
  ];
})();

/** Figures that the code does not know: of other programs, of measurements, of examples. */
const OTHERS = [
  /http:\/\/127\.0\.0\.1:8090\/docs|Version 4 has the ETag|the same requests\. 0 by default|for so many hours\. 0: none/g,
  /an answer within three working days|what five of them do with refusals|sale, in five minutes|list, in five minutes|Quick start, five minutes|README, two minutes/g,
  // What was measured, and two requests of an example, in docs/development/stores.md.
  /would take a pet [\d.]+ µs, not [\d.]+|\d+ KiB of keys with equal hashes take it \d+ ms|the slowest body takes [\d.]+ ms, on Node [\d.]+ ms/g,
  /costs an insertion about \d+ µs, to ask about \d+|Two requests at once: within a process/g,
  /runs two nodes of production|the next two requests|the next three requests|the place of three of them|one or two of them/g,
  /then warn after two seconds|after two seconds it counts alone|as they come, within two seconds/g,
  /with two more beside it|use up to two more|last four characters|a sixth as often|costs about a fifth|the tenth, the twentieth/g,
  /three nodes with six creators|three times on each runtime|killed three times|to four nodes|among fifty nodes|three nodes and 60|mirror of two nodes/g,
  /expiry: \{ minutes: 30 \}` an order expires 30 minutes|the response is 200 with the order as it is|cancels it within 5 seconds of that time|Another node goes on within 15 s/gi,
  /Standard Webhooks 1\.0|CloudEvents 1\.0|\b0 is before the oldest|redeliver from 0/g,
  /Node (20 or newer|version 24 or newer|24 or newer|22 does not know|older than 22\.15)/g,
  /Node must be version 24/g,
  /(below|beyond) 2(⁵³|\^53)/g,
  /\d+ random bits/g,
  /about \d+ ms of one core, the first start \d+ ms, and each further one, or a reset, about \d+ ms/g,
  /such as Node 20|`ConnectionError` \| 0/g,
  /since version 1\.7/g,
  /0\.0\.0\.0/g,
  /Docker Compose [\d.]+ or newer|Kubernetes 1\.30|Helm 3\.8/g,
  /HAProxy's user, 99|gets 3 seconds, in which|and then up to 10 of its own|Before 3\.2, HAProxy|HAProxy 2\.6/g,
  /at 10:00:07\.4|ends at 10:01:07|at 10:00:50|Retry-After 17|10:01:52|until 10:00:07/g,
  /\d+ to \d+ MB, and the build|\d+ MB, takes \d+ to \d+ seconds|loads about \d+ kB|about \d+ MB for|about 1,000 at a time/g,
  /hour, day, 7, 30 or 90 days|Overview, 30 days/g,
  /\b[01] (while|if|without|with|before|takes|switches)/g,
  /otherwise 0|from 0 to 1|such as 0\.01/g,
  /About 0\.2 µs|port 4318/g,
  /PostgreSQL 15 to 18: the tests of the stores pass on [\d., and]*, all tests on [\d.]*|Redis, 6 or newer|Redis 7\.0|Valkey 9\.1/g,
  /take about [\d.]+ times|takes [\d.]+ times|add [\d.]+ times|two cores [\d.]+ times/g,
  /kill -9/g,
  /at most about \d+ MB|about [\d.]+ KB each, at most \d+ MB|About \d+ bytes per pet|up to \d+ MB on a slow disk|about \d+ bytes|[\d.]+ MB for a key|\d+ bytes for each active key/g,
  /with 10 of the tenth/g,
  // How often, and beside how much, something was tried.
  /while \d+ clients|(kill -9`|write,|pets,) \d+ times|killed \d+ times in turn|server is killed, for \d+ s|hangs for \d+ s|pets for \d+ s/g,
  /Of \d+ clients that|gets it: \d+ times out of \d+|whose syncs take \d+ ms|and hours, \d+ times|is \d+ minutes wrong/g,
  /of 2,000 concurrent requests to four nodes with a key of 1,000 per minute, 1,000 succeed/g,
  /with 30, a row goes between 30 and 31 days after|SQLite takes 0\.2 to 0\.9 ms for each|in a minute about [\d,]+ orders, [\d,]+ entries and [\d,]+ keys/g,
  /A ban counts within a second|on every node that saw it; within a second, on all|Until then, at most a second|deleted at most an hour and some/g,
  /uploads after a day|Counts live for a day|loses at most a second|older than an hour|or for an hour in past hours|about half as much processor/g,
  /machine of its own with two cores|On two cores, with Bun|share the two cores|virtual machine with two cores/g,
  /Patroni 3\.0, etcd 3\.4|needs 32 kB|within 50 ms of its usual/g,
];

/** Pages of measurements, and about the programs of others, which have tests of their own. */
const MEASURED = /performance|scaling|generated-clients|retry-libraries/;

/** The text of a page without marks, links and code, in one line, so that a sentence does not depend on where its lines end. */
function plain(path: string): string {
  return (
    withoutBlocks(read(path))
      .replaceAll(/^#+ .*/gm, "")
      // Rows of the tables of statuses, which test/document-operations.test.ts compares, and columns of what was measured.
      .replaceAll(/^\| Status \| .*\n(\|.*\n)*/gm, (table) => table.replaceAll(/^\| \d{3}(, \d{3})* \|/gm, "| |"))
      .replaceAll(/^\| Fault \| Promise \| (?:Measured|Slowest response \| Back after) \|\n(\|.*\n)*/gm, (table) =>
        table.replaceAll(/^(\|[^|]*\|[^|]*\|).*/gm, "$1"),
      )
      .replaceAll(/^ *\d+\. /gm, "")
      .replaceAll(/^\| (?:Figure \| SQLite|Promise \| Pages) .*\n(\|.*\n)*/gm, "")
      .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replaceAll("**", "")
      .replaceAll(/\s+/g, " ")
  );
}
const STORES = "docs/development/stores.md";
const texts = new Map([...pages, STORES].map((path) => [path, plain(path)]));

/** The texts of an OpenAPI document, but for those of examples. */
function textsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const { description, summary } = Object(value);
  return [
    ...[description, summary].filter((one) => typeof one === "string"),
    ...Object.entries(value).flatMap(([key, one]) => (/^examples?$/.test(key) ? [] : textsIn(one))),
  ];
}
for (const [name, document] of [
  ["/openapi.json", openApiDocument(production.baseUrls, "staging")],
  ["/admin/openapi.json", administrationDocument("staging")],
] as const)
  texts.set(name, [...new Set(textsIn(JSON.parse(toJson(document))))].join(" ").replaceAll(/\s+/g, " "));

test("some page states each fact", () => {
  const missing = ofStores.filter((fact) => !texts.get(STORES)?.includes(fact));
  expect(missing).toEqual([]);
  expect(facts.filter((fact) => ![...texts.values()].some((text) => text.includes(fact)))).toEqual([]);
});

/** What other tests compare: a status before its code, rows of the tables of statuses; names with digits. */
const COMPARED = [
  ...(Object.keys(errorCatalogue) as ErrorCode[]).map((code) => new RegExp(`\\b${statusOf(code)} \`${code}\``, "g")),
  /\b(408|505) `invalid_parameter`/g,
  /`[^`]*`/g,
  /<https?:[^>]*>/g,
  /RFC \d+|HTTP\/[12](\.1)?|UTF-(8|16)|headers-10|SHA-256|int64|64-bit|version 1\.0\.0|OpenAPI 3\.1|CRC-32|[1-5]xx/g,
];

/** A number in words with what it counts, and a share. */
const IN_WORDS =
  /\b(?:(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|fifty|sixty|hundred|half an?) (?:milliseconds?|seconds?|minutes?|hours?|days?|weeks?|months?|times|attempts|intervals|nodes|more|requests|bytes|characters|working days|cores)|half a second|(?:within|after|for|than|at most) an? (?:second|minute|hour|day|week)|(?:twice|half) as (?:much|many)|(?:a|the) (?:third|fourth|fifth|sixth|seventh|eighth|ninth|tenth) (?:of|serves|attempt))\b/gi;

test.each([...texts.keys()].filter((path) => !MEASURED.test(path)))("each figure of %s has a source", (path) => {
  const text = texts.get(path) ?? "";
  const ofPage = path === STORES ? [...facts, ...ofStores] : facts;
  const sources = [...ofPage.map((fact) => new RegExp(RegExp.escape(fact), "g")), ...OTHERS, ...COMPARED];
  const known = new Set<number>();
  for (const source of sources) {
    for (const { 0: part, index } of text.matchAll(source))
      for (let at = 0; at < part.length; at++) known.add(index + at);
  }
  const figures = [...text.matchAll(/(?<![\w.])[-−]?\d[\d.,]*/g), ...text.matchAll(IN_WORDS)];
  const unknown = figures.filter(({ index }) => !known.has(index));
  const shown = ({ 0: figure, index }: RegExpExecArray) => text.slice(index - 40, index + figure.length + 40);
  expect(unknown.map(shown)).toEqual([]);
});
