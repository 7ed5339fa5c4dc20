import type { Action, Author, Entry } from "../audit/entry.ts";
import { snapshotOf } from "../audit/snapshot.ts";
import { PetstoreError } from "../errors.ts";
import { hashOf, isSealed, newSealed, randomBase62 } from "../keys/secret.ts";
import { isOn, type Operator, type Role, SESSION_LENGTH, type Session } from "./operator.ts";
import type { OperatorStore } from "./store.ts";

const TOKEN = "pets_oper_";
const SESSION = "pets_sess_";

/** An operator with the token that was made for it just now: the only moment at which it can be read. */
export type IssuedToken = { operator: Operator; token: string };
/** A session with its secret, which can be read only now. */
export type SignedIn = { operator: Operator; session: Session; secret: string };

/** The operator that a token belongs to, unless revoked. A text of another form is not looked up. */
export async function operatorWithToken(store: OperatorStore, token: string): Promise<Operator | undefined> {
  if (!isSealed(token, TOKEN)) return undefined;
  const operator = await store.findByToken(hashOf(token));
  // Not by the clock: that of whoever revoked it may be ahead of ours.
  return operator?.revokedAt === undefined ? operator : undefined;
}

/** Who is signed in with this secret of a session, at `now` (Unix ms). */
export async function sessionWithSecret(
  store: OperatorStore,
  secret: string,
  now: number,
): Promise<{ operator: Operator; session: Session } | undefined> {
  if (!isSealed(secret, SESSION)) return undefined;
  const found = await store.findBySession(hashOf(secret));
  if (found === undefined || found.operator.revokedAt !== undefined) return undefined;
  return isOn(found.session, now) ? found : undefined;
}

/** What is done with operators and their sessions, on behalf of `author`. `now` is in Unix milliseconds throughout. */
export class OperatorAdministration {
  readonly #store: OperatorStore;
  readonly #author: Author;

  constructor(store: OperatorStore, author: Author) {
    this.#store = store;
    this.#author = author;
  }

  async create(name: string, role: Role, now: number): Promise<IssuedToken> {
    const operator: Operator = { id: `op_${randomBase62(16)}`, name, role, createdAt: now };
    const token = newSealed(TOKEN);
    await this.#store.add(
      operator,
      hashOf(token),
      this.#entry("operator.create", operator.id, now, { after: snapshotOf(operator) }),
    );
    return { operator, token };
  }

  /** Ends an operator for good, and its sessions. Revoking a revoked one changes nothing. @throws operator_not_found */
  async revoke(id: string, now: number): Promise<Operator> {
    const before = await this.#store.get(id);
    if (before === undefined)
      throw new PetstoreError("operator_not_found", id === "" ? {} : { message: `There is no operator ${id}.` });
    if (before.revokedAt !== undefined) return before;
    const after = { ...before, revokedAt: now };
    await this.#store.revoke(
      id,
      now,
      this.#entry("operator.revoke", id, now, { before: snapshotOf(before), after: snapshotOf(after) }),
    );
    return after;
  }

  async signIn(operator: Operator, now: number): Promise<SignedIn> {
    const secret = newSealed(SESSION);
    const session = { hash: hashOf(secret), operatorId: operator.id, createdAt: now, expiresAt: now + SESSION_LENGTH };
    await this.#store.addSession(session, this.#entry("session.create", operator.id, now));
    return { operator, session, secret };
  }

  async signOut({ hash, operatorId }: Session, now: number): Promise<void> {
    await this.#store.endSession(hash, this.#entry("session.end", operatorId, now));
  }

  #entry(action: Action, target: string, at: number, change: Pick<Entry, "before" | "after"> = {}): Entry {
    return { ...this.#author, at, action, target, ...change };
  }
}
