import type { Deployment } from "../deployment.ts";
import { type Limits, limitsOf, type Plan } from "../limits/plans.ts";
import type { Key, Scope, StoredSecret } from "./key.ts";
import { hashOf, newSecret, randomBase62 } from "./secret.ts";
import type { KeyStore } from "./store.ts";

/** What an operator asked for cannot be done; the message says why and what can. */
export class Refused extends Error {}

/** A key with the secret that was made for it just now: the only moment at which it can be read. */
export type Issued = { key: Key; secret: string };

export type NewKey = {
  name: string;
  plan: Plan;
  /** Own limits: needed by Enterprise, refused for the others. */
  limits?: Limits | undefined;
  scopes: Scope[];
  expiresAt?: number | undefined;
};

/** What operators do with the keys of one deployment. `now` is in Unix milliseconds throughout. */
export class KeyAdministration {
  readonly #store: KeyStore;
  readonly #deployment: Deployment;

  constructor(store: KeyStore, deployment: Deployment) {
    this.#store = store;
    this.#deployment = deployment;
  }

  /** Makes a key. @throws Refused when the limits do not go with the plan */
  async create({ name, plan, limits, scopes, expiresAt }: NewKey, now: number): Promise<Issued> {
    const key: Key = {
      id: `key_${randomBase62(16)}`,
      name,
      plan,
      limits: limitsFor(plan, limits),
      scopes,
      createdAt: now,
      ...(expiresAt !== undefined && { expiresAt }),
    };
    const { secret, stored } = this.#newSecret(key.id, now);
    await this.#store.add(key, stored);
    return { key, secret };
  }

  /** Gives a key a new secret; the old ones work for `grace` milliseconds more. @throws Refused for a key that is revoked or expired */
  async rotate(id: string, grace: number, now: number): Promise<Issued> {
    const key = await this.#find(id);
    if (key.revokedAt !== undefined) throw new Refused(`Key ${id} is revoked. Create a new key instead.`);
    if (key.expiresAt !== undefined && now >= key.expiresAt) {
      throw new Refused(`Key ${id} has expired. Create a new key instead.`);
    }
    const { secret, stored } = this.#newSecret(id, now);
    await this.#store.addSecret(stored, now + grace);
    return { key, secret };
  }

  /** Ends a key for good. Revoking a revoked key changes nothing. */
  async revoke(id: string, now: number): Promise<Key> {
    const key = await this.#find(id);
    return key.revokedAt === undefined ? this.#update({ ...key, revokedAt: now }) : key;
  }

  /** Puts a key on another plan, at once; its counts stay. @throws Refused when the limits do not go with the plan */
  async setPlan(id: string, plan: Plan, limits?: Limits): Promise<Key> {
    const key = await this.#find(id);
    return this.#update({ ...key, plan, limits: limitsFor(plan, limits) });
  }

  /** Ends a key's ban and forgets its strikes. */
  async unban(id: string, now: number): Promise<Key> {
    return this.#update({ ...(await this.#find(id)), pardonedAt: now });
  }

  async #find(id: string): Promise<Key> {
    const found = await this.#store.get(id);
    if (found === undefined)
      throw new Refused(`There is no key ${id}. \`petstore keys list\` shows the keys there are.`);
    return found.key;
  }

  async #update(key: Key): Promise<Key> {
    await this.#store.update(key);
    return key;
  }

  #newSecret(keyId: string, now: number): { secret: string; stored: StoredSecret } {
    const secret = newSecret(this.#deployment);
    return { secret, stored: { hash: hashOf(secret), keyId, lastFour: secret.slice(-4), createdAt: now } };
  }
}

function limitsFor(plan: Plan, own: Limits | undefined): Limits {
  if (plan === "enterprise") {
    if (own === undefined) throw new Refused("The enterprise plan needs its own limits: a minute and a day.");
    return own;
  }
  if (own !== undefined) throw new Refused(`The ${plan} plan has fixed limits; own limits go with enterprise.`);
  return limitsOf[plan];
}
