import type { Entry } from "../audit/entry.ts";
import type { Awaitable } from "../awaitable.ts";
import type { Operator, Session, SignInLink } from "./operator.ts";

/**
 * Stores operators and their sessions. A change and its audit entry are one transaction, which is durable when the
 * promise resolves. Every method throws service_unavailable when the store cannot be reached.
 */
export interface OperatorStore {
  /** Returns the operator whose token has this hash. */
  findByToken(hash: string): Awaitable<Operator | undefined>;
  /** Returns the session with this hash, and its operator. */
  findBySession(hash: string): Awaitable<{ operator: Operator; session: Session } | undefined>;
  get(id: string): Awaitable<Operator | undefined>;
  /** All operators, oldest first. */
  list(): Awaitable<Operator[]>;
  /** Adds an operator, which ends the link. */
  add(operator: Operator, tokenHash: string, entry: Entry): Promise<void>;
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
    entries: Entry[],
  ): Promise<boolean>;
  /**
   * Revokes an operator at `at` (Unix ms) and ends its sessions. Returns false, and logs nothing, when it already was
   * revoked or is the only admin.
   */
  revoke(id: string, at: number, entry: Entry): Promise<boolean>;
  /** Adds a session, and removes expired ones. */
  addSession(session: Session, entry: Entry): Promise<void>;
  /** Removes a session. Logs nothing when there is none. */
  endSession(hash: string, entry: Entry): Promise<void>;
}
