import { type Action, type Author, type NewAuditEntry, snapshotOf } from "./audit.ts";
import type { Awaitable } from "./awaitable.ts";
import { PetstoreError } from "./errors.ts";
import { generateSecret, hashOf, hasSecretForm, randomBase62 } from "./keys/secret.ts";
import { timestampOf } from "./time.ts";

export const roles = ["viewer", "admin"] as const;
/** A viewer reads, an admin also changes. */
export type Role = (typeof roles)[number];

/** A person or program that operates the service. Times are Unix milliseconds. */
export type Operator = { id: string; name: string; role: Role; createdAt: number; revokedAt?: number };

/** The session of an operator. Only the SHA-256 of its secret is stored. Times are Unix milliseconds. */
export type Session = { hash: string; operatorId: string; createdAt: number; expiresAt: number };

/** The link by which the first operator signs in. Only the SHA-256 of its secret is stored. `expiresAt` is in Unix ms. */
export type SignInLink = { hash: string; expiresAt: number };

/** The lifetime of a link in ms. */
export const LINK_LENGTH = 15 * 60_000;

/** The lifetime of a session in ms. Use does not extend it. */
export const SESSION_LENGTH = 12 * 3_600_000;

/**
 * Stores operators and their sessions. A change and its audit entry are one transaction, which is durable when the
 * promise resolves. Every method throws service_unavailable when the store cannot be reached.
 */
export interface OperatorStore {
  findByToken(hash: string): Awaitable<Operator | undefined>;
  findBySession(hash: string): Awaitable<{ operator: Operator; session: Session } | undefined>;
  get(id: string): Awaitable<Operator | undefined>;
  /** All operators, oldest first. */
  list(): Awaitable<Operator[]>;
  /** Adds an operator, which ends the link. */
  add(operator: Operator, tokenHash: string, entry: NewAuditEntry): Promise<void>;
  /** Adds the link, in place of an earlier one. Returns false, and changes nothing, when there is an operator. */
  addLink(link: SignInLink): Promise<boolean>;
  /**
   * Adds the first operator and its session, and removes the link with this hash. Returns false, and changes nothing, when
   * there is no such link, or it has ended when the session begins. Of any number of calls with a link, one returns true.
   */
  addFirst(
    operator: Operator,
    tokenHash: string,
    session: Session,
    linkHash: string,
    entries: NewAuditEntry[],
  ): Promise<boolean>;
  /**
   * Revokes an operator at `at` (Unix ms) and ends its sessions. Returns false, and logs nothing, when it already was
   * revoked or is the only admin.
   */
  revoke(id: string, at: number, entry: NewAuditEntry): Promise<boolean>;
  /** Adds a session, and removes expired ones. */
  addSession(session: Session, entry: NewAuditEntry): Promise<void>;
  /** Removes a session. Logs nothing when there is none. */
  endSession(hash: string, entry: NewAuditEntry): Promise<void>;
}

export function operatorJson({ id, name, role, createdAt, revokedAt }: Operator) {
  return { id, name, role, createdAt: timestampOf(createdAt), revokedAt: timestampOf(revokedAt) };
}

const TOKEN = "pets_oper_";
const SESSION = "pets_sess_";
const LINK = "pets_link_";

/** An operator with its new token, which is not stored and cannot be read again. */
type IssuedToken = { operator: Operator; token: string };
/** A session with its secret, which is not stored and cannot be read again. */
type SignedIn = { operator: Operator; session: Session; secret: string };
/** The secret of a new link, which is not stored and cannot be read again. `expiresAt` is in Unix ms. */
export type IssuedLink = { secret: string; expiresAt: number };

/** Returns the operator with this token, unless revoked. Does not look up texts of another form. */
export async function operatorWithToken(store: OperatorStore, token: string): Promise<Operator | undefined> {
  if (!hasSecretForm(token, TOKEN)) return undefined;
  const operator = await store.findByToken(hashOf(token));
  // Regardless of the time: the clock of the node that revoked it may be ahead.
  return operator?.revokedAt === undefined ? operator : undefined;
}

/**
 * Returns the session with this secret, if it is valid at `now` (Unix ms), and its operator. One that begins in the future is
 * valid: another node's clock may be ahead.
 */
export async function sessionWithSecret(store: OperatorStore, secret: string, now: number) {
  if (!hasSecretForm(secret, SESSION)) return undefined;
  const found = await store.findBySession(hashOf(secret));
  if (found === undefined || found.operator.revokedAt !== undefined) return undefined;
  return now < found.session.expiresAt ? found : undefined;
}

/** Manages operators and their sessions on behalf of `author`. `now` is in Unix milliseconds. */
export class OperatorAdministration {
  readonly #store: OperatorStore;
  readonly #author: Author;

  constructor(store: OperatorStore, author: Author) {
    this.#store = store;
    this.#author = author;
  }

  async create(name: string, role: Role, now: number): Promise<IssuedToken> {
    const { operator, token } = newOperator(name, role, now);
    await this.#store.add(
      operator,
      hashOf(token),
      this.#entry("operator.create", operator.id, now, { after: snapshotOf(operator) }),
    );
    return { operator, token };
  }

  /**
   * Revokes an operator permanently and ends its sessions. Revoking it again changes nothing.
   * @throws operator_not_found, and invalid_state for the only admin
   */
  async revoke(id: string, now: number): Promise<Operator> {
    const before = await this.#store.get(id);
    if (before === undefined)
      throw new PetstoreError("operator_not_found", id === "" ? {} : { message: `There is no operator ${id}.` });
    const after = { ...before, revokedAt: now };
    const change = { before: snapshotOf(before), after: snapshotOf(after) };
    if (await this.#store.revoke(id, now, this.#entry("operator.revoke", id, now, change))) return after;
    const current = await this.#store.get(id);
    if (current?.revokedAt !== undefined) return current;
    const message = "This is the only admin. Create another one first.";
    throw new PetstoreError("invalid_state", { message });
  }

  /** Creates the link by which the first operator signs in. Returns undefined when there is an operator. */
  async createLink(now: number): Promise<IssuedLink | undefined> {
    const secret = generateSecret(LINK);
    const expiresAt = now + LINK_LENGTH;
    return (await this.#store.addLink({ hash: hashOf(secret), expiresAt })) ? { secret, expiresAt } : undefined;
  }

  /** Creates the first operator, an admin, and its session. Returns undefined unless `link` is the secret of a valid link. */
  async createFirst(link: string, name: string, now: number): Promise<(IssuedToken & SignedIn) | undefined> {
    if (!hasSecretForm(link, LINK)) return undefined;
    const { operator, token } = newOperator(name, "admin", now);
    const { session, secret } = newSession(operator, now);
    const itself = { ...this.#author, operator: { id: operator.id, name } };
    const isFirst = await this.#store.addFirst(operator, hashOf(token), session, hashOf(link), [
      this.#entry("operator.create", operator.id, now, { after: snapshotOf(operator) }),
      { ...itself, at: now, action: "session.create", target: operator.id },
    ]);
    return isFirst ? { operator, token, session, secret } : undefined;
  }

  async signIn(operator: Operator, now: number): Promise<SignedIn> {
    const { session, secret } = newSession(operator, now);
    await this.#store.addSession(session, this.#entry("session.create", operator.id, now));
    return { operator, session, secret };
  }

  async signOut({ hash, operatorId }: Session, now: number): Promise<void> {
    await this.#store.endSession(hash, this.#entry("session.end", operatorId, now));
  }

  #entry(action: Action, target: string, at: number, change: Pick<NewAuditEntry, "before" | "after"> = {}) {
    return { ...this.#author, at, action, target, ...change };
  }
}

function newOperator(name: string, role: Role, now: number): IssuedToken {
  return { operator: { id: `op_${randomBase62(16)}`, name, role, createdAt: now }, token: generateSecret(TOKEN) };
}

function newSession({ id }: Operator, now: number): Pick<SignedIn, "session" | "secret"> {
  const secret = generateSecret(SESSION);
  return {
    session: { hash: hashOf(secret), operatorId: id, createdAt: now, expiresAt: now + SESSION_LENGTH },
    secret,
  };
}
