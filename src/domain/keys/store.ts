import type { NewAuditEntry } from "../audit.ts";
import { type Awaitable, after } from "../awaitable.ts";
import type { Creation, IdempotencyKey } from "../changes.ts";
import type { ChangedStates, LimitStates } from "../limits/limit-states.ts";
import { type LimitState, type LimitStatus, type Plan, windowJson } from "../limits/limits.ts";
import { parseSimulation, type Simulation } from "../simulation.ts";
import { timestampOf } from "../time.ts";
import { type FoundKey, type Key, type Owner, type RequestKey, type State, type StoredSecret, stateOf } from "./key.ts";
import { SECRET_LIKE } from "./secret.ts";
import { applies, type SimulationScript } from "./simulation.ts";

/** The position of a key in the list of all keys by age. */
export type Position = Pick<Key, "createdAt" | "id">;

/**
 * Selects keys by plan, by state, by owner, and by a text in their id, name, owner or last four characters, in any case. An
 * owner with an e-mail address stands for that address, otherwise for everyone of the name.
 */
export type KeyFilter = {
  search?: string | undefined;
  owner?: Owner | undefined;
  plan?: readonly Plan[] | undefined;
  state?: readonly State[] | undefined;
  /** Only keys with a simulation. */
  isRehearsing?: boolean | undefined;
};

/** At most `limit` of the keys that the filter selects, by age, or by owner and age, from `after` on. */
export type KeysPage = KeyFilter & {
  order: "newest" | "oldest" | "owner";
  limit: number;
  after?: Position | undefined;
};

export const CURSOR = /^([0-9]{1,16})[.](key_[0-9A-Za-z]{1,64})$/;

/** Encodes a key's position. The cursor stays valid when the key is no longer listed. */
export function cursorOf({ createdAt, id }: Position): string {
  return `${createdAt}.${id}`;
}

/** Decodes a cursor. Returns undefined when it is malformed. */
export function positionOf(cursor: string): Position | undefined {
  const [, createdAt, id] = CURSOR.exec(cursor) ?? [];
  return createdAt === undefined || id === undefined ? undefined : { createdAt: Number(createdAt), id };
}

/** A key with its secrets, newest first. `version` grows with every change of either; `lastUsedAt` does not count. */
export type KeyWithSecrets = { key: Key; secrets: StoredSecret[]; version: number };

/** A request with an idempotency key, as text, and the number from which its new secret follows. */
type IdempotentRotation = { key: IdempotencyKey; request: string; seed: bigint };

/** A secret that a key gets, and those that now end, each with its end. All others stay as they are. */
export type SecretChanges = {
  added?: StoredSecret;
  ended: readonly StoredSecret[];
  rotation?: IdempotentRotation | undefined;
};

/** A page of keys, and the number of those on all pages. */
export type CountedKeys = { keys: KeyWithSecrets[]; total: number };

/** The numbers of keys: by state, and of those with a simulation, in any state. */
export type KeyCounts = { byState: Record<State, number>; rehearsing: number };

/**
 * Returns the key with this secret, as it was at most a second ago. Only what has the form of a secret is looked up.
 * @throws service_unavailable when the store cannot be reached
 */
export type FindKey = (secret: string) => Awaitable<FoundKey | undefined>;

/**
 * Stores keys. Every method throws service_unavailable when the store cannot be reached.
 * Other processes see a change within a second. A change and its audit entry are one transaction, which is durable when
 * the promise resolves.
 */
export interface KeyStore {
  /** Returns what a request needs of the key with this secret hash, and of that secret. */
  findBySecret(hash: string): Awaitable<FoundKey | undefined>;
  get(id: string): Awaitable<KeyWithSecrets | undefined>;
  /** Returns the names of the keys with these ids, of those that there are. */
  namesOf(ids: readonly string[]): Promise<Map<string, string>>;
  /** Returns a page of keys with their states at `now` (Unix ms). Bans are stored within a second after they begin. */
  list(page: KeysPage, now: number): Promise<KeyWithSecrets[]>;
  /** The same with the number of keys on all pages, which is exact. */
  listCounted(page: KeysPage, now: number): Promise<CountedKeys>;
  /** Returns the number of keys in each state at `now` (Unix ms), and of those with a simulation. */
  counts(now: number): Promise<KeyCounts>;
  /** Whether there has never been a key. */
  isEmpty(): Awaitable<boolean>;
  add(key: Key, secret: StoredSecret, entry: NewAuditEntry): Promise<void>;
  /**
   * Replaces a key, except `lastUsedAt` and the requests of a simulation that stays, and changes its secrets. Returns false,
   * and changes nothing, when the key does not exist or no longer has this version, or another request had the idempotency key of
   * `secrets` within IDEMPOTENCY_KEY_LIFETIME.
   */
  replace(key: Key, version: number, entry: NewAuditEntry, secrets?: SecretChanges): Promise<boolean>;
  /** Returns what is stored for an idempotency key. */
  requestWith(key: IdempotencyKey): Promise<Creation | undefined>;
  /**
   * Counts a request for the key's simulation, which ends with its last one. Returns the position of the request, exact over
   * all processes; undefined, without counting, when the key has another simulation by now, or none.
   */
  countSimulated(keyId: string, simulation: SimulationScript): Promise<number | undefined>;
}

/** A key's calls of a deprecated operation: their number, and the time (Unix ms) and User-Agent of the last one. */
export type DeprecatedCalls = { calls: number; lastCalledAt: number; userAgent?: string };

/** A key is banned from `since` to `until` (both Unix ms). */
export type BanPeriod = { since: number; until: number };

/** When keys were used and banned, and their calls of deprecated operations. */
export type Activity = {
  /** The time of the last use (Unix ms), by key id. */
  lastUsed: Map<string, number>;
  /** The last ban, by key id. */
  bans: Map<string, BanPeriod>;
  /** By operation, then by key id. */
  deprecated: Map<string, Map<string, DeprecatedCalls>>;
};

export function noActivity(): Activity {
  return { lastUsed: new Map(), bans: new Map(), deprecated: new Map() };
}

export function mergeActivity(activity: Activity, more: Activity): void {
  for (const [id, at] of more.lastUsed) {
    activity.lastUsed.set(id, Math.max(at, activity.lastUsed.get(id) ?? 0));
  }
  for (const [id, ban] of more.bans) {
    if (ban.since >= (activity.bans.get(id)?.since ?? 0)) activity.bans.set(id, ban);
  }
  for (const [operation, byKey] of more.deprecated) {
    for (const [id, calls] of byKey) addCalls(activity, operation, id, calls);
  }
}

export function addCalls({ deprecated }: Activity, operation: string, keyId: string, more: DeprecatedCalls): void {
  const byKey = deprecated.get(operation) ?? new Map<string, DeprecatedCalls>();
  deprecated.set(operation, byKey);
  const sum = byKey.get(keyId);
  if (sum === undefined) {
    byKey.set(keyId, { ...more });
    return;
  }
  sum.calls += more.calls;
  if (more.lastCalledAt < sum.lastCalledAt) return;
  sum.lastCalledAt = more.lastCalledAt;
  if (more.userAgent !== undefined) sum.userAgent = more.userAgent;
}

export const MAX_USER_AGENT_LENGTH = 200;

/** Returns the beginning of a User-Agent header, without control characters and anything that looks like a key. */
export function userAgentOf(header: string | null): string | undefined {
  const plain = (header ?? "").toWellFormed().replace(/\p{Cc}/gu, "");
  const text = plain.replace(SECRET_LIKE, "[key]").trim();
  return text === "" ? undefined : text.slice(0, MAX_USER_AGENT_LENGTH).toWellFormed();
}

/** Records what keys do. `now` is in Unix milliseconds. */
export interface ActivityRecorder {
  used(keyId: string, now: number): void;
  banned(keyId: string, ban: BanPeriod): void;
  calledDeprecated(operation: string, keyId: string, now: number, userAgent: string | undefined): void;
}

export type Caller = DeprecatedCalls & { operation: string; keyId: string; keyName: string; owner?: Owner };

/** By the last call, by the number of calls, or by the id of the key, which never changes. */
export const callerOrders = ["lastCalledAt", "calls", "keyId"] as const;

export type CallerOrder = (typeof callerOrders)[number];

export type CallerPosition = Pick<Caller, "lastCalledAt" | "calls" | "keyId" | "operation">;

/** At most `limit` callers of `operation`, or of all operations, in descending order, from `after` on. */
export type CallersPage = {
  operation?: string | undefined;
  order: CallerOrder;
  limit: number;
  after?: CallerPosition | undefined;
};

/** The calls of an operation by all keys. */
export type CallTotal = { callers: number; calls: number };

const CALLER_CURSOR = /^(\d{1,16})\.(\d{1,16})\.(key_[0-9A-Za-z]{1,64})\.(\w{1,64})$/;

export function callerCursorOf({ lastCalledAt, calls, keyId, operation }: CallerPosition): string {
  return [lastCalledAt, calls, keyId, operation].join(".");
}

/** Decodes a cursor. Returns undefined when it is malformed. */
export function callerPositionOf(cursor: string): CallerPosition | undefined {
  const [, lastCalledAt, calls, keyId, operation] = CALLER_CURSOR.exec(cursor) ?? [];
  if (keyId === undefined || operation === undefined) return undefined;
  return { lastCalledAt: Number(lastCalledAt), calls: Number(calls), keyId, operation };
}

/**
 * Stores the limit states and the activity of keys, so that a restart keeps them.
 * Every method throws service_unavailable when the store cannot be reached.
 */
export interface Counters {
  /** Returns all limit states. They are for the process that counts limits, and there is one: it saves what it changes. */
  load(): Awaitable<LimitStates>;
  limitStateOf(keyId: string): Awaitable<LimitState | undefined>;
  deprecatedCallsOf(keyId: string): Awaitable<Map<string, DeprecatedCalls>>;
  callers(page: CallersPage): Promise<Caller[]>;
  callTotal(operation: string): Promise<CallTotal>;
  /** Stores changes of the limit states that `load` returned, and adds to the stored activity. */
  save(changed: ChangedStates, activity: Activity): Promise<void>;
}

/** Returns what a request of a key without the header Petstore-Simulate simulates; undefined for nothing. */
export type SimulationOf = (key: Pick<RequestKey, "id" | "simulation">) => Awaitable<Simulation | undefined>;

/** Counts each request of a key with a simulation, and returns the simulation if its schedule selects the request. */
export function rehearsing(keys: Pick<KeyStore, "countSimulated">): SimulationOf {
  return ({ id, simulation }) => {
    if (simulation === undefined) return undefined;
    const { answer, schedule } = simulation;
    return after(keys.countSimulated(id, simulation), (position) =>
      position !== undefined && applies(schedule, position) ? parseSimulation(answer) : undefined,
    );
  };
}

/** A key with its limit status, which is undefined while it is unknown. */
export type KeyWithLimitStatus = KeyWithSecrets & { limitStatus: LimitStatus | undefined };

/** A key at `now` (Unix ms) as JSON without its secrets, for the administration interface and the commands. */
export function keyJson({ key, secrets, version, limitStatus }: KeyWithLimitStatus, now: number) {
  return {
    id: key.id,
    version,
    name: key.name,
    owner: ownerJson(key.owner),
    note: key.note ?? null,
    plan: key.plan,
    limits: key.limits,
    scopes: key.scopes,
    createdAt: timestampOf(key.createdAt),
    expiresAt: timestampOf(key.expiresAt),
    revokedAt: timestampOf(key.revokedAt),
    lastUsedAt: timestampOf(key.lastUsedAt),
    disabledAt: timestampOf(key.disabledAt),
    lastFour: secrets[0]?.lastFour ?? "",
    earlierSecrets: secrets.flatMap(({ lastFour, expiresAt }) =>
      expiresAt !== undefined && expiresAt > now ? { lastFour, expiresAt: timestampOf(expiresAt) } : [],
    ),
    state: stateOf(key, limitStatus?.ban, now),
    usage: limitStatus === undefined ? null : usageJson(limitStatus),
    simulation: key.simulation === undefined ? null : simulationJson(key.simulation),
  };
}

function simulationJson({ answer, schedule, startedAt, requests }: SimulationScript) {
  return { answer, ...schedule, startedAt: timestampOf(startedAt), requests };
}

export function ownerJson(owner: Owner | undefined) {
  return owner === undefined ? null : { name: owner.name ?? null, email: owner.email ?? null };
}

function usageJson({ minute, day, strikes, ban }: LimitStatus) {
  return {
    minute: windowJson(minute),
    day: windowJson(day),
    strikes,
    bannedUntil: timestampOf(ban && ban.until * 1000),
  };
}
