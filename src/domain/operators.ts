import { type Action, type Author, type NewAuditEntry, snapshotOf } from "./audit.ts";
import type { Awaitable } from "./awaitable.ts";
import { invalidState, PetstoreError } from "./errors.ts";
import { isName, MAX_NAME_LENGTH } from "./keys/key.ts";
import { generateSecret, hashOf, hasSecretForm, randomBase62 } from "./keys/secret.ts";
import { timestampOf } from "./time.ts";

export const roles = ["viewer", "admin"] as const;
/** A viewer reads, an admin also changes. */
export type Role = (typeof roles)[number];

/**
 * A person or program that operates the service, with a token unless an OpenID provider signs the person in: `provider` is its
 * issuer. Times are Unix milliseconds.
 */
export type Operator = {
  id: string;
  name: string;
  role: Role;
  provider?: string;
  createdAt: number;
  revokedAt?: number;
};

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
  /**
   * Signs in a person whom a provider knows. `decide` gets the operator of the identity, if there is one, and returns it as it is
   * to be, with a session and the entries: all that, or nothing if it returns undefined, is one transaction. Of any number of
   * first calls for an identity at once one adds the operator, which ends the link. `decide` may run again after a conflict.
   */
  signInWith(
    identity: Identity,
    decide: (found: Operator | undefined) => ProvidedSignIn | undefined,
  ): Promise<ProvidedSignIn | undefined>;
  /** Ends the sessions of the operator of an identity, if there is one. */
  endSessionsOf(identity: Pick<Identity, "issuer" | "subject">): Promise<void>;
  /** Adds a session, and removes expired ones. */
  addSession(session: Session, entry: NewAuditEntry): Promise<void>;
  /** Removes a session. Logs nothing when there is none. */
  endSession(hash: string, entry: NewAuditEntry): Promise<void>;
}

export function operatorJson({ id, name, role, provider, createdAt, revokedAt }: Operator) {
  return {
    id,
    name,
    role,
    provider: provider ?? null,
    createdAt: timestampOf(createdAt),
    revokedAt: timestampOf(revokedAt),
  };
}

const TOKEN = "pets_oper_";
const SESSION = "pets_sess_";
const LINK = "pets_link_";

/** An operator with its new token, which is not stored and cannot be read again. */
type IssuedToken = { operator: Operator; token: string };
/** A session with its secret, which is not stored and cannot be read again. */
type SignedIn = { operator: Operator; session: Session; secret: string };
/** The same with the entries of what it changes. */
export type ProvidedSignIn = SignedIn & { entries: NewAuditEntry[] };
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

/** A person whom an OpenID provider has signed in: `subject` is unique within `issuer`, and never another person's. */
export type Identity = { issuer: string; subject: string; name: string; role: Role };

/** Which claim of an ID token has the roles, and which of its values make an admin or a viewer. */
export type RoleRule = { claim: string; admins: readonly string[]; viewers: readonly string[] };

/** What a browser keeps while it is at the provider, so that any node can finish the sign-in. */
export type SignInChecks = { state: string; nonce: string; verifier: string };

/** Signs people in at an OpenID provider, by the code flow with PKCE. Waits for the provider for at most 5 seconds. */
export interface SingleSignOn {
  /** Returns where the browser goes, from where it returns to `redirectUri`. @throws SignInFailure */
  begin(redirectUri: string): Promise<{ url: string; checks: SignInChecks }>;
  /** Returns the valid claims of the ID token. `callback`: the address to which the provider has sent the browser. @throws SignInFailure */
  finish(callback: URL, checks: SignInChecks): Promise<Claims>;
  /** Who the claims name, with the role that they give. @throws SignInFailure */
  identityOf(claims: Claims): Identity;
  /** Where an operator of the provider signs out there, and returns to `returnTo`. Undefined if it cannot say so at once. */
  signOutUrl(issuer: string, returnTo: string): Promise<string | undefined>;
}

/** Why a sign-in at a provider failed, in a word that the console explains. */
export const signInProblems = [
  "provider_unavailable",
  "sign_in_refused",
  "sign_in_failed",
  "sign_in_expired",
  "no_role",
  "operator_revoked",
  "too_many_attempts",
  "service_unavailable",
] as const;
export type SignInProblem = (typeof signInProblems)[number];

/** `reason`: what the provider did wrong, or who has no role, for the log. It contains no code, token or secret. */
export class SignInFailure extends Error {
  readonly problem: SignInProblem;
  readonly reason: string | undefined;

  constructor(problem: SignInProblem, reason?: string) {
    super(problem);
    this.problem = problem;
    this.reason = reason;
  }
}

/** The claims of an ID token whose signature, issuer, audience, nonce and times are valid. */
export type Claims = Readonly<Record<string, unknown>> & { iss: string; sub: string };

/** Subjects have at most 255 ASCII characters (OpenID Connect Core 1.0, 2). */
const SUBJECT = /^[!-~]([ -~]{0,253}[!-~])?$/;

/** Who the claims name, with the role that they give. Admin comes before viewer. @throws SignInFailure */
export function identityOf(claims: Claims, rule: RoleRule): Identity {
  const { iss: issuer, sub: subject } = claims;
  if (!SUBJECT.test(subject)) throw new SignInFailure("sign_in_failed", "the subject in the ID token is not valid");
  const values = valuesOf(claims, rule.claim);
  const has = (some: readonly string[]) => some.some((value) => values.includes(value));
  const name = nameIn(claims);
  if (!has(rule.admins) && !has(rule.viewers)) {
    const problem = Object.hasOwn(claims, rule.claim) ? "no value that gives a role" : "nothing";
    throw new SignInFailure("no_role", `${name} has ${problem} in the claim ${rule.claim}`);
  }
  return { issuer, subject, name, role: has(rule.admins) ? "admin" : "viewer" };
}

/** The texts of a claim. Anybody may claim an e-mail: one that gives a role must be verified. */
function valuesOf(claims: Claims, claim: string): unknown[] {
  if (claim === "email" && claims.email_verified !== true) return [];
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  return Array.isArray(value) ? value : [value];
}

/** The name of an operator: the e-mail, unless the provider says that it is not verified, or else another claim. */
function nameIn({ email, email_verified, preferred_username, name, sub }: Claims): string {
  const candidates = [email_verified === false ? undefined : email, preferred_username, name, sub];
  const names = candidates.filter((one) => typeof one === "string").map((one) => cut(one.trim()));
  return names.find(isName) ?? cut(sub);
}

function cut(text: string): string {
  return [...text.slice(0, 2 * MAX_NAME_LENGTH)].slice(0, MAX_NAME_LENGTH).join("");
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
    throw invalidState("This is the only admin. Create another one first.");
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

  /**
   * Signs in a person whom a provider knows, as an operator with this name and role, from the first time on. Returns undefined
   * for one who was revoked.
   */
  signInWith(identity: Identity, now: number): Promise<ProvidedSignIn | undefined> {
    const { name, role, issuer } = identity;
    return this.#store.signInWith(identity, (before) => {
      if (before?.revokedAt !== undefined) return undefined;
      const operator = { ...(before ?? { id: newId(), provider: issuer, createdAt: now }), name, role };
      const { session, secret } = newSession(operator, now);
      const itself = { ...this.#author, operator: { id: operator.id, name } };
      return {
        operator,
        session,
        secret,
        entries: [
          ...this.#changeOf(before, operator, now),
          { ...itself, at: now, action: "session.create", target: operator.id },
        ],
      };
    });
  }

  #changeOf(before: Operator | undefined, after: Operator, now: number): NewAuditEntry[] {
    if (before === undefined) return [this.#entry("operator.create", after.id, now, { after: snapshotOf(after) })];
    if (before.name === after.name && before.role === after.role) return [];
    const change = { before: snapshotOf(before), after: snapshotOf(after) };
    return [this.#entry("operator.update", after.id, now, change)];
  }

  async signOut({ hash, operatorId }: Session, now: number): Promise<void> {
    await this.#store.endSession(hash, this.#entry("session.end", operatorId, now));
  }

  #entry(action: Action, target: string, at: number, change: Pick<NewAuditEntry, "before" | "after"> = {}) {
    return { ...this.#author, at, action, target, ...change };
  }
}

function newOperator(name: string, role: Role, now: number): IssuedToken {
  return { operator: { id: newId(), name, role, createdAt: now }, token: generateSecret(TOKEN) };
}

function newId(): string {
  return `op_${randomBase62(16)}`;
}

function newSession({ id }: Operator, now: number): Pick<SignedIn, "session" | "secret"> {
  const secret = generateSecret(SESSION);
  return {
    session: { hash: hashOf(secret), operatorId: id, createdAt: now, expiresAt: now + SESSION_LENGTH },
    secret,
  };
}
