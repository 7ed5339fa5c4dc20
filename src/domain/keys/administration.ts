import type { Author } from "../audit/entry.ts";
import type { Deployment } from "../deployment.ts";
import { PetstoreError } from "../errors.ts";
import type { Limits, Plan } from "../limits/plans.ts";
import { type ScheduleFields, scheduleOf } from "../simulation/schedule.ts";
import { answerOf } from "../simulation/script.ts";
import { AuditedChanges } from "./audited-changes.ts";
import { actionOf, changed, type KeyChange, limitsFor, refusePast } from "./change.ts";
import type { Key, Scope, StoredSecret } from "./key.ts";
import type { Owner } from "./owner.ts";
import { hashOf, newSecret, randomBase62 } from "./secret.ts";
import type { KeyStore } from "./store.ts";

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
 * audit entry. `now` is in Unix milliseconds. Every method that takes an id throws key_not_found for an unknown one.
 */
export class KeyAdministration {
  readonly #store: KeyStore;
  readonly #deployment: Deployment;
  readonly #changes: AuditedChanges;

  constructor(store: KeyStore, deployment: Deployment, author: Author) {
    this.#store = store;
    this.#deployment = deployment;
    this.#changes = new AuditedChanges(store, author);
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
      this.#changes.entry("key.create", key.id, now, undefined, key),
    );
    return { key, secret };
  }

  /** Gives a key a new secret; old ones work for `grace` milliseconds. @throws invalid_state when it is revoked or expired */
  async rotate(id: string, grace: number, now: number): Promise<Issued> {
    const { key, secrets } = await this.#changes.find(id);
    if (key.revokedAt !== undefined) throw ended(`Key ${id} is revoked. Create a new key instead.`);
    if (key.expiresAt !== undefined && now >= key.expiresAt) {
      throw ended(`Key ${id} has expired. Create a new key instead.`);
    }
    const secret = newSecret(this.#deployment);
    const stored = storedSecret(secret, id, now);
    const after = { lastFour: stored.lastFour, othersExpireAt: now + grace };
    const entry = this.#changes.entry("key.rotate", id, now, { lastFour: secrets[0]?.lastFour }, after);
    await this.#store.addSecret(stored, now + grace, entry);
    return { key, secret };
  }

  /** Ends the grace period of a key's earlier secrets now. @throws invalid_state when none has one */
  async endGrace(id: string, now: number): Promise<void> {
    const { secrets } = await this.#changes.find(id);
    const othersExpireAt = Math.max(...secrets.map(({ expiresAt = 0 }) => expiresAt));
    const entry = this.#changes.entry("key.grace.end", id, now, { othersExpireAt }, { othersExpireAt: now });
    const hasEnded = await this.#store.endGrace(id, now, entry);
    if (!hasEnded) throw ended(`Key ${id} has no earlier secret that still works.`);
  }

  /** Revokes a key permanently, and ends its simulation. Revoking it again changes nothing. */
  revoke(id: string, now: number): Promise<Key> {
    return this.#changes.change(
      () => "key.revoke",
      id,
      now,
      (key) => (key.revokedAt === undefined ? { ...withoutSimulation(key), revokedAt: now } : key),
    );
  }

  /**
   * Changes a key, disables or enables it; its counted requests stay counted.
   * @throws validation_failed when the limits do not fit the plan, or `expiresAt` is in the past
   * @throws invalid_state when the key is revoked
   */
  update(id: string, change: KeyChange, now: number): Promise<Key> {
    refusePast(change.expiresAt ?? undefined, now);
    return this.#changes.change(actionOf, id, now, (key) => {
      if (key.revokedAt !== undefined) throw ended(`Key ${id} is revoked. Create a new key instead.`);
      return changed(key, change, now);
    });
  }

  /** Lifts a key's ban and clears its strikes. */
  unban(id: string, now: number): Promise<Key> {
    return this.#changes.change(
      () => "key.unban",
      id,
      now,
      (key) => ({ ...key, pardonedAt: now }),
    );
  }

  /**
   * Has the requests of a key that the schedule selects, from the next one on, answered with `answer`, a value of
   * Petstore-Simulate. Replaces the simulation that the key has, and counts from 1.
   * @throws validation_failed when the answer is no such value, or the fields are no schedule
   * @throws invalid_state on production, or when the key is revoked
   */
  async simulate(id: string, { answer, ...fields }: NewSimulation, now: number): Promise<Key> {
    if (this.#deployment !== "staging") {
      throw ended(`This is ${this.#deployment}. Only staging simulates answers: set it for a key of staging.`);
    }
    const simulation = { answer: answerOf(answer), schedule: scheduleOf(fields), startedAt: now, requests: 0 };
    return this.#changes.change(
      () => "key.simulate",
      id,
      now,
      (key) => {
        if (key.revokedAt !== undefined) throw ended(`Key ${id} is revoked. Create a new key instead.`);
        return { ...key, simulation };
      },
    );
  }

  /** Ends the simulation of a key. A key without one stays as it is. */
  endSimulation(id: string, now: number): Promise<Key> {
    return this.#changes.change(() => "key.simulation.end", id, now, withoutSimulation);
  }
}

function storedSecret(secret: string, keyId: string, now: number): StoredSecret {
  return { hash: hashOf(secret), keyId, lastFour: secret.slice(-4), createdAt: now };
}

function withoutSimulation({ simulation, ...key }: Key): Key {
  return key;
}

function ended(message: string): PetstoreError {
  return new PetstoreError("invalid_state", { message });
}
