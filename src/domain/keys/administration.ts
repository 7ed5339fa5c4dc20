import { randomBytes } from "node:crypto";
import { type Action, type Author, type NewAuditEntry, snapshotOf } from "../audit.ts";
import type { Awaitable } from "../awaitable.ts";
import {
  type Creation,
  type IdempotencyKey,
  type Preconditions,
  requireSameRequest,
  requireTag,
  tagOfVersion,
} from "../changes.ts";
import type { Deployment } from "../deployment.ts";
import { type ErrorCode, invalidField, invalidState, PetstoreError, unavailable } from "../errors.ts";
import { type Limits, limitsOf, type Plan } from "../limits/limits.ts";
import { answerOf } from "../simulation.ts";
import { type Key, keyNotFound, type Owner, ownerText, type Scope, type StoredSecret, secretRefusal } from "./key.ts";
import { derivedSecret, hashOf, newSecret, randomBase62 } from "./secret.ts";
import { type ScheduleFields, scheduleOf } from "./simulation.ts";
import type { KeyStore, KeyWithSecrets, SecretChanges } from "./store.ts";

/** Changes to a key; undefined leaves a field as it is, null removes it. `expiresAt` is in Unix ms. */
export type KeyChange = {
  name?: string | undefined;
  owner?: Owner | null | undefined;
  note?: string | null | undefined;
  plan?: Plan | undefined;
  /** Custom limits: required by the enterprise plan, refused by the others. */
  limits?: Limits | undefined;
  scopes?: Scope[] | undefined;
  expiresAt?: number | null | undefined;
  disabled?: boolean | undefined;
};

/** Returns the key after a change at `now` (Unix ms). @throws validation_failed when the limits do not fit the plan */
function changed(key: Key, change: KeyChange, now: number): Key {
  const { name, plan, limits, scopes } = change;
  const { expiresAt, disabledAt, owner, note, ...rest } = key;
  const expiry = replaced(expiresAt, change.expiresAt);
  const newOwner = replaced(owner, change.owner);
  const newNote = replaced(note, change.note);
  const { disabled = disabledAt !== undefined } = change;
  return {
    ...rest,
    ...(name !== undefined && { name }),
    ...(plan !== undefined && { plan }),
    ...((plan ?? limits) !== undefined && { limits: limitsFor(plan ?? key.plan, limits) }),
    ...(scopes !== undefined && { scopes }),
    ...(newOwner !== undefined && { owner: newOwner }),
    ...(newNote !== undefined && { note: newNote }),
    ...(expiry !== undefined && { expiresAt: expiry }),
    ...(disabled && { disabledAt: disabledAt ?? now }),
  };
}

/** An optional field after a change: null removes it. */
function replaced<T>(field: T | undefined, change: T | null | undefined): T | undefined {
  return change === undefined ? field : (change ?? undefined);
}

/** Whether two states of a key are equal. */
function isSame(before: Key, after: Key): boolean {
  const text = ({ limits, owner, ...key }: Key) => {
    const { name, note, plan, scopes, expiresAt, revokedAt, disabledAt, pardonedAt, simulation } = key;
    const fields = [name, owner && ownerText(owner), note, plan, limits.perMinute, limits.perDay, scopes];
    return JSON.stringify([...fields, expiresAt, revokedAt, disabledAt, pardonedAt, simulation]);
  };
  return text(before) === text(after);
}

/** The action by which the audit log names a change: by the one field that most of them change. */
function actionOf(before: Key, after: Key): Action {
  if (after.revokedAt !== before.revokedAt) return "key.revoke";
  if (after.pardonedAt !== before.pardonedAt) return "key.unban";
  if (after.simulation !== before.simulation) {
    return after.simulation === undefined ? "key.simulation.end" : "key.simulate";
  }
  if (after.disabledAt === before.disabledAt) return "key.update";
  return after.disabledAt === undefined ? "key.enable" : "key.disable";
}

/** Returns the limits of a key on this plan. @throws validation_failed when the custom limits do not fit the plan */
export function limitsFor(plan: Plan, custom: Limits | undefined): Limits {
  if (plan === "enterprise") {
    if (custom === undefined)
      throw invalidField("limits", "are required by the enterprise plan: per minute and per day");
    return custom;
  }
  if (custom !== undefined)
    throw invalidField("limits", `are fixed on the ${plan} plan; only enterprise has custom limits`);
  return limitsOf[plan];
}

/** @throws validation_failed when the expiry is in the past */
function refusePast(expiresAt: number | undefined, now: number): void {
  if (expiresAt !== undefined && expiresAt < now) throw invalidField("expiresAt", "must not be in the past");
}

/** Attempts at a change while others change the same key. */
const MAX_TRIES = 10;

/** The state of a key after a change, its audit entry, and the changes of its secrets. */
type Replacement = { key: Key; entry: NewAuditEntry; secrets?: SecretChanges };

/** The secrets that would work after `at` (Unix ms), ended then. */
export function endedAt(secrets: readonly StoredSecret[], at: number): StoredSecret[] {
  return secrets.filter(({ expiresAt = Infinity }) => expiresAt > at).map((secret) => ({ ...secret, expiresAt: at }));
}

/** A key with its new secret, which is not stored and cannot be read again. */
export type Issued = { key: Key; secret: string };

export type NewKey = {
  name: string;
  owner?: Owner | undefined;
  note?: string | undefined;
  plan: Plan;
  /** Custom limits: required by the enterprise plan, refused by the others. */
  limits?: Limits | undefined;
  scopes: Scope[];
  expiresAt?: number | undefined;
};

export type NewSimulation = ScheduleFields & { answer: string };

/**
 * Creates, rotates, changes and revokes the keys of one deployment on behalf of `author`. Each change is stored with its
 * audit entry. `now` is in Unix milliseconds. Every method that takes an id throws key_not_found for an unknown one, and
 * precondition_failed for a key whose version does not meet `preconditions`.
 */
export class KeyAdministration {
  readonly #store: KeyStore;
  readonly #deployment: Deployment;
  readonly #author: Author;
  readonly #preconditions: Preconditions | undefined;

  constructor(store: KeyStore, deployment: Deployment, author: Author, preconditions?: Preconditions) {
    this.#store = store;
    this.#deployment = deployment;
    this.#author = author;
    this.#preconditions = preconditions;
  }

  /** Creates a key. @throws validation_failed when the limits do not fit the plan, or `expiresAt` is in the past */
  async create(
    { name, owner, note, plan, limits, scopes, expiresAt }: NewKey,
    now: number,
    secret = newSecret(this.#deployment),
  ): Promise<Issued> {
    refusePast(expiresAt, now);
    const key: Key = {
      id: `key_${randomBase62(16)}`,
      name,
      ...(owner !== undefined && { owner }),
      ...(note !== undefined && { note }),
      plan,
      limits: limitsFor(plan, limits),
      scopes,
      createdAt: now,
      ...(expiresAt !== undefined && { expiresAt }),
    };
    await this.#store.add(
      key,
      storedSecret(secret, key.id, now),
      this.#entry("key.create", key.id, now, undefined, key),
    );
    return { key, secret };
  }

  /** Gives a key a new secret; old ones work for `grace` milliseconds. @throws invalid_state when it is revoked or expired */
  async rotate(id: string, grace: number, now: number): Promise<Issued> {
    const secret = newSecret(this.#deployment);
    const key = await this.#write(id, (found) => {
      const { expiresAt } = requireNotRevoked(found.key);
      if (expiresAt !== undefined && now >= expiresAt) {
        throw invalidState(`Key ${id} has expired. Create a new key instead.`);
      }
      return this.#rotation(found, { secret, grace, now });
    });
    return { key, secret };
  }

  /**
   * Gives a key a new secret for a request with its own secret `from`, as `rotate`. Only the newest secret may: one in its grace
   * period would otherwise outlive it. A repeated request with an idempotency key gets the secret of the first one, which is not
   * stored: it follows from `from` and a stored number.
   * @throws insufficient_scope; rate_limit_exceeded after MAX_ROTATIONS in a day; idempotency_key_reused; why the key is refused
   */
  async rotateOwn(id: string, { from, grace, key, now }: OwnRotation): Promise<Issued & { isReplay: boolean }> {
    const request = `POST /key/rotate ${hashOf(from)} ${grace}`;
    const seed = BigInt(`0x${randomBytes(16).toString("hex")}`);
    const secret = derivedSecret(this.#deployment, from, seed);
    let first: Creation | undefined;
    const rotated = await this.#write(id, async (found) => {
      first = key && (await this.#store.requestWith(key));
      if (first !== undefined) {
        requireSameRequest(first, request);
        return undefined;
      }
      requireRotatable(found, hashOf(from), now);
      return this.#rotation(found, { secret, grace, now }, key && { key, request, seed });
    });
    const [replayed] = first?.ids ?? [];
    if (replayed === undefined) return { key: rotated, secret, isReplay: false };
    return { key: rotated, secret: derivedSecret(this.#deployment, from, replayed), isReplay: true };
  }

  #rotation(
    { key, secrets }: KeyWithSecrets,
    { secret, grace, now }: { secret: string; grace: number; now: number },
    rotation?: SecretChanges["rotation"],
  ): Replacement {
    const added = storedSecret(secret, key.id, now);
    const othersExpireAt = now + grace;
    const after = { lastFour: added.lastFour, othersExpireAt };
    const entry = this.#entry("key.rotate", key.id, now, { lastFour: secrets[0]?.lastFour }, after);
    return { key, entry, secrets: { added, ended: endedAt(secrets, othersExpireAt), rotation } };
  }

  /** Ends the grace period of a key's earlier secrets now. @throws invalid_state when none has one */
  endGrace(id: string, now: number): Promise<Key> {
    return this.#write(id, ({ key, secrets }) => {
      const earlier = secrets.filter(({ expiresAt }) => expiresAt !== undefined);
      const changed = endedAt(earlier, now);
      if (changed.length === 0) throw invalidState(`Key ${id} has no earlier secret that still works.`);
      const othersExpireAt = Math.max(...earlier.map(({ expiresAt = 0 }) => expiresAt));
      const entry = this.#entry("key.grace.end", id, now, { othersExpireAt }, { othersExpireAt: now });
      return { key, entry, secrets: { ended: changed } };
    });
  }

  /** Revokes a key permanently, and ends its simulation. Revoking it again changes nothing. */
  revoke(id: string, now: number): Promise<Key> {
    return this.#change(id, now, (key) =>
      key.revokedAt === undefined ? { ...withoutSimulation(key), revokedAt: now } : key,
    );
  }

  /**
   * Changes a key, disables or enables it; its counted requests stay counted.
   * @throws validation_failed when the limits do not fit the plan, or `expiresAt` is in the past
   * @throws invalid_state when the key is revoked
   */
  update(id: string, change: KeyChange, now: number): Promise<Key> {
    refusePast(change.expiresAt ?? undefined, now);
    return this.#change(id, now, (key) => changed(requireNotRevoked(key), change, now));
  }

  unban(id: string, now: number): Promise<Key> {
    return this.#change(id, now, (key) => ({ ...key, pardonedAt: now }));
  }

  /**
   * Has the requests of a key that the schedule selects, from the next one on, answered with `answer`, a value of
   * Petstore-Simulate. Replaces the simulation that the key has, and counts from 1.
   * @throws validation_failed when the answer is no such value, or the fields are no schedule
   * @throws invalid_state on production, or when the key is revoked
   */
  async simulate(id: string, { answer, ...fields }: NewSimulation, now: number): Promise<Key> {
    if (this.#deployment !== "staging") {
      throw invalidState(`This is ${this.#deployment}. Only staging simulates answers: set it for a key of staging.`);
    }
    const simulation = { answer: answerOf(answer), schedule: scheduleOf(fields), startedAt: now, requests: 0 };
    return this.#change(id, now, (key) => ({ ...requireNotRevoked(key), simulation }));
  }

  /** Ends the simulation of a key. A key without one stays as it is. */
  endSimulation(id: string, now: number): Promise<Key> {
    return this.#change(id, now, withoutSimulation);
  }

  /** Applies `change` to the stored key. */
  #change(id: string, now: number, change: (key: Key) => Key): Promise<Key> {
    return this.#write(id, ({ key: before }) => {
      const after = change(before);
      if (isSame(before, after)) return undefined;
      return { key: after, entry: this.#entry(actionOf(before, after), id, now, before, after) };
    });
  }

  /**
   * The same for a change that may concern the secrets too. An undefined one leaves the key as it is. Retries with the new state
   * when the key changes meanwhile (optimistic locking).
   */
  async #write(id: string, change: (found: KeyWithSecrets) => Awaitable<Replacement | undefined>): Promise<Key> {
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const found = await this.#store.get(id);
      if (found === undefined) throw keyNotFound(id);
      requireTag(tagOfVersion(found.version), this.#preconditions);
      const replacement = await change(found);
      if (replacement === undefined) return found.key;
      const { key, entry, secrets } = replacement;
      if (await this.#store.replace(key, found.version, entry, secrets)) return key;
    }
    throw unavailable(new Error(`key ${id} changed during each of ${MAX_TRIES} attempts`));
  }

  #entry(action: Action, target: string, at: number, before: object | undefined, after: object): NewAuditEntry {
    return {
      ...this.#author,
      at,
      action,
      target,
      ...(before && { before: snapshotOf(before) }),
      after: snapshotOf(after),
    };
  }
}

function storedSecret(secret: string, keyId: string, now: number): StoredSecret {
  return { hash: hashOf(secret), keyId, lastFour: secret.slice(-4), createdAt: now };
}

/** A rotation by a request with the secret `from`, whose earlier secrets work for `grace` ms. `now` is in Unix ms. */
export type OwnRotation = { from: string; grace: number; key?: IdempotencyKey | undefined; now: number };

/** So many secrets a key may give itself in ROTATION_PERIOD: each has a row, and works for the grace period. */
export const MAX_ROTATIONS = 10;
const ROTATION_PERIOD = 86_400_000;

/** @throws unless a request with the secret that has this hash may rotate the key: what it knew of the key may have changed. */
function requireRotatable({ key, secrets }: KeyWithSecrets, hash: string, now: number): void {
  const own = secrets.find((secret) => secret.hash === hash);
  if (own === undefined) throw new PetstoreError("invalid_api_key");
  const refusal = secretRefusal(key, own, now);
  if (refusal !== undefined) throw new PetstoreError(refusal);
  if (!key.scopes.includes("key:rotate")) throw new PetstoreError("insufficient_scope");
  if (own.expiresAt !== undefined) {
    const message = "This secret is in its grace period, and cannot rotate the key. Use the newest secret.";
    throw new PetstoreError("insufficient_scope", { message });
  }
  const oldest = secrets[MAX_ROTATIONS - 1]?.createdAt ?? -Infinity;
  const retryAfter = Math.ceil((oldest + ROTATION_PERIOD - now) / 1000);
  if (retryAfter <= 0) return;
  const message = `A key gets at most ${MAX_ROTATIONS} secrets in 24 hours. Wait for the seconds in Retry-After.`;
  throw new PetstoreError("rate_limit_exceeded", { message, retryAfter });
}

function requireNotRevoked(key: Key): Key {
  if (key.revokedAt === undefined) return key;
  throw invalidState(`Key ${key.id} is revoked. Create a new key instead.`);
}

function withoutSimulation({ simulation, ...key }: Key): Key {
  return key;
}

/**
 * A change of a key that needs nothing but its id: an operation of the administration interface, `POST /keys/{id}/<name>`, and a
 * command, `petstore keys <name> <id>`.
 */
export type KeyVerb = {
  name: string;
  /** What the document says of the operation. */
  operation: { id: string; summary: string; description: string; answer: string; refusals?: ErrorCode[] };
  /** What the help says of the command. */
  help: string;
  change: (keys: KeyAdministration, id: string, now: number) => Promise<Key>;
  /** What the command says of the key afterwards. `shown` formats a time (Unix ms). */
  outcome: (key: Key, now: number, shown: (time: number) => string) => string;
};

export const keyVerbs: readonly KeyVerb[] = [
  {
    name: "end-grace",
    operation: {
      id: "endGrace",
      summary: "End a grace period",
      description: "Ends the grace period of a key's earlier secrets: the service refuses them from now on.",
      answer: "The key.",
      refusals: ["invalid_state"],
    },
    help: "End the grace period of a rotated key now: only its newest secret works.",
    change: (keys, id, now) => keys.endGrace(id, now),
    outcome: () => "has no earlier secret that works any more",
  },
  {
    name: "revoke",
    operation: {
      id: "revokeKey",
      summary: "Revoke a key",
      description: "Revokes a key for good: the service refuses every further request with it.",
      answer: "The revoked key.",
    },
    help: "Revoke a key permanently. Every further request with it is refused.",
    change: (keys, id, now) => keys.revoke(id, now),
    outcome: ({ revokedAt = 0 }, now, shown) =>
      revokedAt === now ? "is revoked" : `was revoked at ${shown(revokedAt)}`,
  },
  {
    name: "unban",
    operation: {
      id: "unbanKey",
      summary: "Lift a key's ban",
      description: "Ends the ban of a key and clears its strikes. What the key has used of its limits stays.",
      answer: "The key without a ban.",
    },
    help: "Lift a key's ban and clear its strikes. Its counted requests stay counted.",
    change: (keys, id, now) => keys.unban(id, now),
    outcome: () => "has no ban any more, and its strikes are cleared",
  },
];
