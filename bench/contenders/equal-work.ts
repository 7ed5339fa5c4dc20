import { hash, randomUUID } from "node:crypto";
import { crc32 } from "node:zlib";

declare global {
  interface JSON {
    /** Both runtimes have it. */
    rawJSON(text: string): unknown;
  }
}

/** What the drivers of Bun and of Node share. Integers come as bigints. */
type Statement = {
  get(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown[];
  run(...values: unknown[]): { lastInsertRowid: number | bigint };
};
type Sqlite = { exec(text: string): unknown; prepare(text: string): Statement };

type Pet = { id: bigint; name: string; category_id: bigint; status: string; version: bigint };
type Window = { count: number; resetAt: number };
type Key = { id: string; limits: [minute: number, day: number]; windows: [minute: Window, day: Window] };
type Known = { key: Key; readAt: number };
type Page = { body: string; headers: Record<string, string> };
type Problem = [field: string, problem: string];

/** An answer, whose headers come on top of those that the request got when it was admitted. */
export type Answer = { status: number; headers: Record<string, string>; body: string };
type Arrival = {
  method: string;
  path: string;
  authorization: string | null | undefined;
  requestId: string | null | undefined;
  address: () => string;
};
type Admission = { headers: Record<string, string>; refusal?: Answer };

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SECONDS = [60, 86_400] as const;
const NAMES = ["minute", "day"] as const;
const ANONYMOUS = 300;
const MOST_PAGES = 1_000;
const JSON_TYPE = { "Content-Type": "application/json" };
const NOT_KEPT = { ...JSON_TYPE, "Cache-Control": "no-store" };
const READ = { ...JSON_TYPE, "Cache-Control": "private, no-cache", Vary: "Authorization" };
const [MINIMUM, MAXIMUM] = [-(2n ** 63n), 2n ** 63n - 1n];
const INT64 = `must be an integer from ${MINIMUM} to ${MAXIMUM}`;
const NAME = /^[^\p{Cc}\p{Cs}]{1,255}$/u;
const STATUSES: Record<string, string[]> = {
  available: ["pending", "sold"],
  pending: ["available", "sold"],
  sold: ["available"],
};
const ONE_OF = `must be one of ${Object.keys(STATUSES).join(", ")}`;

/** The service's work by hand, for a program that listens, finds the operation, and sends what comes back. */
export class EqualWork {
  readonly #root: string;
  readonly #keys = new Map<string, Known>();
  readonly #addresses = new Map<string, Window>();
  readonly #pages = new Map<string, Page>();
  #waiting: { work: () => Answer; resolve: (answer: Answer) => void }[] = [];
  #hasSnapshot = false;
  readonly #statements;

  constructor(database: Sqlite, root: string) {
    this.#root = root;
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -8192");
    const page = "SELECT id, name, category_id, status FROM pets NOT INDEXED WHERE";
    const count = (changes: string) => database.prepare(`UPDATE inventory SET ${changes} WHERE shard = 0`);
    this.#statements = {
      begin: database.prepare("BEGIN"),
      beginWrite: database.prepare("BEGIN IMMEDIATE"),
      commit: database.prepare("COMMIT"),
      key: database.prepare(`SELECT keys.id, per_minute, per_day FROM secrets JOIN keys ON keys.id = key_id
        WHERE hash = ? AND revoked_at IS NULL AND disabled_at IS NULL
          AND coalesce(keys.expires_at > ?, TRUE) AND coalesce(secrets.expires_at > ?, TRUE)`),
      page: database.prepare(`${page} id > ? ORDER BY id LIMIT ?`),
      filtered: database.prepare(`${page} status = ? AND id > ? ORDER BY id LIMIT ?`),
      pet: database.prepare("SELECT id, name, category_id, status, version FROM pets NOT INDEXED WHERE id = ?"),
      add: database.prepare("INSERT INTO pets (name, category_id, status, name_key) VALUES (?, ?, ?, ?)"),
      holder: database.prepare("SELECT id FROM orders WHERE pet_id = ? AND status IN ('placed', 'approved')"),
      setStatus: database.prepare("UPDATE pets SET status = ?, version = version + 1 WHERE id = ?"),
      set: database.prepare(
        "UPDATE pets SET name = ?, category_id = ?, status = ?, name_key = ?, version = version + 1 WHERE id = ?",
      ),
      order: database.prepare(`INSERT INTO orders (pet_id, status, created_at, updated_at, pet_name, pet_category_id)
        VALUES (?, 'placed', ?, ?, ?, ?)`),
      counts: Object.fromEntries(Object.keys(STATUSES).map((status) => [status, count(`${status} = ${status} + ?`)])),
      countOrder: count("available = available - 1, pending = pending + 1, placed = placed + 1"),
    };
  }

  /** Authenticates a request and counts it. The headers are those that each of its answers has. */
  admit({ method, path, authorization, requestId, address }: Arrival): Admission {
    const headers: Record<string, string> = {
      "X-Request-Id": requestId && /^[\w.-]{1,128}$/.test(requestId) ? requestId : randomUUID(),
      "X-Content-Type-Options": "nosniff",
    };
    if (method === "GET" && path.startsWith("/v1/pets/")) this.#deprecate(path.slice("/v1/pets/".length), headers);
    const now = Date.now();
    const secret = authorization && /^bearer /i.test(authorization) ? authorization.slice(7).trim() : undefined;
    const key = secret === undefined ? undefined : this.#keyOf(secret, now);
    if (key !== undefined) {
      const code = take(key.windows, key.limits, headers, now);
      return code === undefined ? { headers } : { headers, refusal: limited(code) };
    }
    const window = this.#addresses.get(address()) ?? { count: 0, resetAt: 0 };
    this.#addresses.set(address(), window);
    const code = take([window], [ANONYMOUS], headers, now);
    const error = secret === undefined ? "" : ', error="invalid_token"';
    headers["WWW-Authenticate"] = `Bearer realm="petstore"${error}`;
    if (code !== undefined) return { headers, refusal: limited(code) };
    if (secret === undefined)
      return {
        headers,
        refusal: refused(
          401,
          "missing_api_key",
          "An API key is required. Send it in the header Authorization: Bearer <API_KEY>.",
        ),
      };
    const message = hasForm(secret)
      ? "This API key does not exist."
      : "This is not an API key of this service: its form or its checksum is wrong. Check that you copied the whole key.";
    return { headers, refusal: refused(401, "invalid_api_key", message) };
  }

  list(query: string): Answer {
    const kept = this.#pages.get(query);
    if (kept !== undefined) return { status: 200, ...kept };
    const parameters = new URLSearchParams(query);
    const problems: Problem[] = [];
    const [limit, status, after] = [
      parameters.get("limit") ?? "20",
      parameters.get("status"),
      parameters.get("after") ?? "0",
    ];
    if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > 100)
      problems.push(["limit", "must be an integer from 1 to 100"]);
    if (status !== null && !(status in STATUSES)) problems.push(["status", ONE_OF]);
    if (!/^\d{1,19}$/.test(after) || BigInt(after) > MAXIMUM)
      problems.push(["after", `must be the id of a pet: an integer from 0 to ${MAXIMUM}`]);
    if (problems.length > 0) return invalid("query", problems);
    this.#openSnapshot();
    const { page, filtered } = this.#statements;
    const [from, size] = [BigInt(after), Number(limit)];
    const pets = (status === null ? page.all(from, size + 1) : filtered.all(status, from, size + 1)) as Pet[];
    const shown = pets.length > size ? pets.slice(0, size) : pets;
    const body = JSON.stringify(shown.map(jsonOf));
    const filter = status === null ? "" : `&status=${status}`;
    const next = pets.length > size ? `limit=${size}${filter}&after=${shown.at(-1)?.id}` : "";
    const headers: Record<string, string> = { ...READ, ETag: `"${hash("sha1", body + next, "base64url")}"` };
    if (next !== "") headers.Link = `<${this.#root}/v1/pets?${next}>; rel="next"`;
    if (this.#pages.size === MOST_PAGES) this.#pages.clear();
    this.#pages.set(query, { body, headers });
    return { status: 200, headers, body };
  }

  get(id: string): Answer {
    this.#openSnapshot();
    const pet = this.#petOf(id);
    if (pet === undefined) return missing();
    return { status: 200, headers: { ...READ, ETag: `"v${pet.version}"` }, body: textOf(pet) };
  }

  create(text: string): Answer | Promise<Answer> {
    const body = objectIn(text, "name, categoryId and optionally status");
    if ("refusal" in body) return body.refusal;
    const { name, categoryId, status = "available" } = body.fields;
    const problems = problemsOf({ name, categoryId, status });
    if (problems.length > 0) return invalid("body", problems);
    return this.#write(() => {
      const { add, counts } = this.#statements;
      const pet = { name: String(name), category_id: int64(categoryId) ?? 0n, status: String(status) };
      const id = BigInt(add.run(pet.name, pet.category_id, pet.status, keyOf(pet.name)).lastInsertRowid);
      counts[pet.status]?.run(1);
      const headers = { ...NOT_KEPT, Location: `${this.#root}/v1/pets/${id}`, ETag: '"v1"' };
      return { status: 201, headers, body: textOf({ id, version: 1n, ...pet }) };
    });
  }

  change(id: string, text: string): Answer | Promise<Answer> {
    const body = objectIn(text, "the fields to change: name, categoryId, status");
    if ("refusal" in body) return body.refusal;
    const patch = body.fields;
    const given = Object.fromEntries(
      ["name", "categoryId", "status"].flatMap((name) => (name in patch ? [[name, patch[name]]] : [])),
    );
    const problems = problemsOf(given);
    if (problems.length > 0) return invalid("body", problems);
    return this.#write(() => {
      const { counts, holder, set, setStatus } = this.#statements;
      const pet = this.#petOf(id);
      if (pet === undefined) return missing();
      const { name = pet.name, categoryId = pet.category_id, status = pet.status } = patch;
      const after = { ...pet, name: String(name), category_id: int64(categoryId) ?? 0n, status: String(status) };
      if (after.status !== pet.status) {
        const order = holder.get(pet.id) as { id: bigint } | null | undefined;
        if (order)
          return refused(
            409,
            "pet_reserved",
            `Order ${order.id} holds this pet. Deliver or cancel the order to change the pet's status or remove it.`,
          );
        const allowed = STATUSES[pet.status] ?? [];
        if (!allowed.includes(after.status))
          return refused(
            409,
            "invalid_transition",
            `A pet that is ${pet.status} cannot become ${after.status}, only ${allowed.join(" or ")}.`,
          );
        counts[pet.status]?.run(-1);
        counts[after.status]?.run(1);
      }
      const isSame = after.name === pet.name && after.category_id === pet.category_id;
      if (!isSame || after.status !== pet.status) {
        after.version += 1n;
        if (isSame) setStatus.run(after.status, pet.id);
        else set.run(after.name, after.category_id, after.status, keyOf(after.name), pet.id);
      }
      return { status: 200, headers: { ...NOT_KEPT, ETag: `"v${after.version}"` }, body: textOf(after) };
    });
  }

  order(text: string): Answer | Promise<Answer> {
    const body = objectIn(text, "petId");
    if ("refusal" in body) return body.refusal;
    const { petId } = body.fields;
    const problems = problemsOf({ petId });
    if (problems.length > 0) return invalid("body", problems);
    return this.#write(() => {
      const { countOrder, order, setStatus } = this.#statements;
      const pet = this.#petOf(String(int64(petId)));
      if (pet === undefined) return missing();
      if (pet.status !== "available")
        return refused(409, "pet_not_available", `This pet is ${pet.status}. Only an available pet can be ordered.`);
      const now = Date.now();
      const { id: petNumber, name, category_id: category } = pet;
      const id = order.run(petNumber, now, now, name, category).lastInsertRowid;
      setStatus.run("pending", petNumber);
      countOrder.run();
      const at = new Date(now).toISOString();
      const placed = {
        ...{ id: Number(id), petId: Number(petNumber), pet: { name, categoryId: numberOf(category) } },
        ...{ status: "placed", createdAt: at, updatedAt: at },
      };
      return {
        status: 201,
        headers: { ...NOT_KEPT, Location: `${this.#root}/v1/store/orders/${id}`, ETag: '"v1"' },
        body: JSON.stringify(placed),
      };
    });
  }

  /** The key of a secret: its hash is looked up again after a second, its windows stay. */
  #keyOf(secret: string, now: number): Key | undefined {
    const known = this.#keys.get(secret);
    if (known !== undefined && now - known.readAt < 1_000) return known.key;
    if (!hasForm(secret)) return undefined;
    const row = this.#statements.key.get(hash("sha256", secret, "hex"), now, now);
    if (!row) {
      this.#keys.delete(secret);
      return undefined;
    }
    const { id, per_minute, per_day } = row as { id: string; per_minute: bigint; per_day: bigint };
    const windows = known?.key.windows ?? [
      { count: 0, resetAt: 0 },
      { count: 0, resetAt: 0 },
    ];
    const key: Key = { id, limits: [Number(per_minute), Number(per_day)], windows };
    this.#keys.set(secret, { key, readAt: now });
    return key;
  }

  #deprecate(id: string, headers: Record<string, string>): void {
    const successor = /^[1-9]\d*$/.test(id) ? `?ids=${id}` : "";
    headers.Deprecation = "@1795132800";
    headers.Sunset = "Thu, 05 Dec 2030 00:00:00 GMT";
    headers.Link = `<${this.#root}/v1/pets${successor}>; rel="successor-version", <${this.#root}/docs/deprecation>; rel="deprecation"; type="text/html"`;
  }

  #petOf(id: string): Pet | undefined {
    if (!/^[1-9]\d{0,15}$/.test(id)) return undefined;
    return (this.#statements.pet.get(BigInt(id)) as Pet | null | undefined) ?? undefined;
  }

  /** Reads of a turn of the event loop share a snapshot. */
  #openSnapshot(): void {
    if (this.#hasSnapshot) return;
    this.#statements.begin.run();
    this.#hasSnapshot = true;
    setImmediate(() => this.#closeSnapshot());
  }

  #closeSnapshot(): void {
    if (this.#hasSnapshot) this.#statements.commit.run();
    this.#hasSnapshot = false;
  }

  /** Writes of a turn share a commit, and are answered after its sync. */
  #write(work: () => Answer): Promise<Answer> {
    return new Promise((resolve) => {
      if (this.#waiting.push({ work, resolve }) === 1) setImmediate(() => this.#commit());
    });
  }

  #commit(): void {
    const batch = this.#waiting;
    this.#waiting = [];
    this.#closeSnapshot();
    this.#statements.beginWrite.run();
    const answers = batch.map(({ work, resolve }) => ({ resolve, answer: work() }));
    this.#statements.commit.run();
    this.#pages.clear();
    for (const { resolve, answer } of answers) resolve(answer);
  }
}

export function notFound(): Answer {
  return refused(404, "not_found", "This path does not exist. See /docs for the paths.");
}

/** Counts a request in all windows, or in none if one is full, whose name comes back. Adds the headers of the limits. */
function take(windows: Window[], limits: number[], headers: Record<string, string>, now: number): string | undefined {
  let full = -1;
  let shown = 0;
  for (const [i, window] of windows.entries()) {
    if (now >= window.resetAt * 1_000) {
      window.count = 0;
      window.resetAt = Math.floor(now / 1_000) + (SECONDS[i] ?? 0);
    }
    const isLater = window.resetAt >= (windows[shown]?.resetAt ?? 0);
    if (window.count >= (limits[i] ?? 0) && (full < 0 || isLater)) full = i;
    const [left, least] = [(limits[i] ?? 0) - window.count, (limits[shown] ?? 0) - (windows[shown]?.count ?? 0)];
    if (left < least || (left === least && isLater)) shown = i;
  }
  if (full >= 0) shown = full;
  else for (const window of windows) window.count += 1;
  let [policy, remainders] = ["", ""];
  for (const [i, { count, resetAt }] of windows.entries()) {
    const separator = i === 0 ? "" : ", ";
    policy += `${separator}"${NAMES[i]}";q=${limits[i]};w=${SECONDS[i]}`;
    remainders += `${separator}"${NAMES[i]}";r=${(limits[i] ?? 0) - count};t=${secondsUntil(resetAt, now)}`;
  }
  const { count, resetAt } = windows[shown] ?? { count: 0, resetAt: 0 };
  headers["X-RateLimit-Limit"] = String(limits[shown]);
  headers["X-RateLimit-Remaining"] = String((limits[shown] ?? 0) - count);
  headers["X-RateLimit-Reset"] = String(resetAt);
  headers["RateLimit-Policy"] = policy;
  headers.RateLimit = remainders;
  if (full < 0) return undefined;
  headers["Retry-After"] = String(secondsUntil(resetAt, now));
  return NAMES[full];
}

function secondsUntil(resetAt: number, now: number): number {
  return Math.max(1, Math.ceil(resetAt - now / 1_000));
}

/** Whether a secret has the form and the checksum of a key: the CRC-32 of what precedes, in base 62. */
function hasForm(secret: string): boolean {
  if (!/^pets_live_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}$/.test(secret)) return false;
  let remainder = crc32(secret.slice(0, -6));
  let digits = "";
  for (let i = 0; i < 6; i++) {
    digits = DIGITS.charAt(remainder % 62) + digits;
    remainder = Math.floor(remainder / 62);
  }
  return digits === secret.slice(-6);
}

/** As it is in JSON. */
function jsonOf({ id, name, category_id, status }: Pet) {
  return { id: Number(id), name, categoryId: numberOf(category_id), status };
}

/** An exact number for JSON. */
function numberOf(integer: bigint): unknown {
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number : JSON.rawJSON(String(integer));
}

function textOf(pet: Pet): string {
  return JSON.stringify(jsonOf(pet));
}

/** The key under which a name is found: names that differ in case have the same. */
function keyOf(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}

function objectIn(text: string, content: string): { fields: Record<string, unknown> } | { refusal: Answer } {
  if (text === "") return { refusal: refused(400, "invalid_json", "The request body is empty.") };
  try {
    const value: unknown = JSON.parse(text, /\d{16}/.test(text) ? exact : undefined);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { fields: { ...value } };
    return { refusal: invalid("body", [["", `must be a JSON object with ${content}`]]) };
  } catch {
    return { refusal: refused(400, "invalid_json", "The request body is not valid JSON.") };
  }
}

/** Keeps integers that are no exact numbers. */
function exact(_: string, value: unknown, { source = "" }: { source?: string } = {}): unknown {
  return typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? BigInt(source) : value;
}

function int64(value: unknown): bigint | undefined {
  if (typeof value !== "bigint" && !Number.isInteger(value)) return undefined;
  const integer = BigInt(value as bigint | number);
  return integer >= MINIMUM && integer <= MAXIMUM ? integer : undefined;
}

function problemsOf(fields: Record<string, unknown>): Problem[] {
  const problems: Problem[] = [];
  for (const name in fields) {
    const problem = problemOf(name, fields[name]);
    if (problem !== undefined) problems.push([name, problem]);
  }
  return problems;
}

function problemOf(field: string, value: unknown): string | undefined {
  if (value === undefined) return "is required";
  if (field === "status") return typeof value === "string" && value in STATUSES ? undefined : ONE_OF;
  if (field !== "name") return int64(value) === undefined ? INT64 : undefined;
  if (typeof value !== "string") return "must be a string";
  if (NAME.test(value) && value.trim() !== "") return undefined;
  return "must be 1 to 255 characters, not blank, without control characters or lone surrogates";
}

function missing(): Answer {
  return refused(404, "pet_not_found", "There is no pet with this id.");
}

function limited(window: string): Answer {
  return window === "day"
    ? refused(
        429,
        "quota_exceeded",
        "Too many requests in 24 hours. Wait for the seconds in Retry-After, or ask for a larger plan.",
      )
    : refused(
        429,
        "rate_limit_exceeded",
        "Too many requests this minute. Wait for the seconds in Retry-After, and back off exponentially.",
      );
}

function invalid(place: "query" | "body", problems: Problem[]): Answer {
  const prefix = place === "query" ? "Query parameter " : "";
  const message = problems
    .map(([field, problem]) => `${field === "" ? "The body" : prefix + field} ${problem}.`)
    .join(" ");
  const details = problems.map(([field, problem]) => ({ in: place, field, problem }));
  return refused(400, place === "query" ? "invalid_parameter" : "validation_failed", message, details);
}

function refused(status: number, code: string, message: string, details?: unknown[]): Answer {
  return { status, headers: NOT_KEPT, body: JSON.stringify({ code, message, status, details }) };
}
