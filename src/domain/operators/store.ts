import type { Entry } from "../audit/entry.ts";
import type { Awaitable } from "../awaitable.ts";
import type { Operator, Session } from "./operator.ts";

/**
 * Where operators and their sessions are kept. Every change goes with the log's entry of it: both are kept, or neither;
 * they are durable when the promise resolves. Every method raises service_unavailable when the store cannot be reached.
 */
export interface OperatorStore {
  /** The operator whose token has this hash. */
  findByToken(hash: string): Awaitable<Operator | undefined>;
  /** The session with this hash, and whose it is. */
  findBySession(hash: string): Awaitable<{ operator: Operator; session: Session } | undefined>;
  get(id: string): Awaitable<Operator | undefined>;
  /** All operators, oldest first. */
  list(): Awaitable<Operator[]>;
  add(operator: Operator, tokenHash: string, entry: Entry): Promise<void>;
  /** Ends an operator, and its sessions, at `at` (Unix ms). Gives false, and logs nothing, when it has ended before. */
  revoke(id: string, at: number, entry: Entry): Promise<boolean>;
  /** Begins a session, and forgets those that were over by then. */
  addSession(session: Session, entry: Entry): Promise<void>;
  /** Forgets a session. */
  endSession(hash: string, entry: Entry): Promise<void>;
}
