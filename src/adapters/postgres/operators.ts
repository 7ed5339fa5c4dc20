import { valuesOf } from "../../domain/audit/columns.ts";
import type { Entry } from "../../domain/audit/entry.ts";
import { operatorOf, sessionOf } from "../../domain/operators/columns.ts";
import type { Operator, Session } from "../../domain/operators/operator.ts";
import type { OperatorStore } from "../../domain/operators/store.ts";
import { logged } from "./audit.ts";
import type { Database, Statement } from "./database.ts";

const BY_TOKEN: Statement = {
  name: "petstore_operator_by_token",
  text: "SELECT * FROM petstore.operators WHERE token_hash = $1",
};
const BY_SESSION: Statement = {
  name: "petstore_operator_by_session",
  text: `SELECT o.*, s.hash AS session_hash, s.created_at AS session_created_at, s.expires_at AS session_expires_at
         FROM petstore.sessions s JOIN petstore.operators o ON o.id = s.operator_id WHERE s.hash = $1`,
};
const BY_ID: Statement = { name: "petstore_operator", text: "SELECT * FROM petstore.operators WHERE id = $1" };
const ALL: Statement = {
  name: "petstore_operators",
  text: "SELECT * FROM petstore.operators ORDER BY created_at, id",
};
const ADD: Statement = {
  name: "petstore_add_operator",
  text: `WITH added AS (
           INSERT INTO petstore.operators (id, name, role, token_hash, created_at, revoked_at)
           VALUES ($1, $2, $3, $4, $5, $6) RETURNING id
         ) ${logged("added", 7)}`,
};
const REVOKE: Statement = {
  name: "petstore_revoke_operator",
  text: `WITH revoked AS (
           UPDATE petstore.operators SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL RETURNING id
         ), ended AS (DELETE FROM petstore.sessions WHERE operator_id IN (SELECT id FROM revoked))
         ${logged("revoked", 3)} RETURNING id`,
};
const ADD_SESSION: Statement = {
  name: "petstore_add_session",
  text: `WITH over AS (DELETE FROM petstore.sessions WHERE expires_at <= $3), added AS (
           INSERT INTO petstore.sessions (hash, operator_id, created_at, expires_at) VALUES ($1, $2, $3, $4) RETURNING hash
         ) ${logged("added", 5)}`,
};
const END_SESSION: Statement = {
  name: "petstore_end_session",
  text: `WITH ended AS (DELETE FROM petstore.sessions WHERE hash = $1 RETURNING hash) ${logged("ended", 2)}`,
};

/** Operators and their sessions in PostgreSQL. Every change is one statement, with its entry in the log. */
export class PostgresOperators implements OperatorStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async findByToken(hash: string): Promise<Operator | undefined> {
    const [row] = await this.#database.query(BY_TOKEN, [hash]);
    return row && operatorOf(row);
  }

  async findBySession(hash: string): Promise<{ operator: Operator; session: Session } | undefined> {
    const [row] = await this.#database.query(BY_SESSION, [hash]);
    return row && { operator: operatorOf(row), session: sessionOf(row) };
  }

  async get(id: string): Promise<Operator | undefined> {
    const [row] = await this.#database.query(BY_ID, [id]);
    return row && operatorOf(row);
  }

  async list(): Promise<Operator[]> {
    return (await this.#database.query(ALL)).map(operatorOf);
  }

  async add({ id, name, role, createdAt, revokedAt }: Operator, tokenHash: string, entry: Entry): Promise<void> {
    await this.#database.query(ADD, [id, name, role, tokenHash, createdAt, revokedAt ?? null, ...valuesOf(entry)]);
  }

  async revoke(id: string, at: number, entry: Entry): Promise<boolean> {
    return (await this.#database.query(REVOKE, [id, at, ...valuesOf(entry)])).length > 0;
  }

  async addSession({ hash, operatorId, createdAt, expiresAt }: Session, entry: Entry): Promise<void> {
    await this.#database.query(ADD_SESSION, [hash, operatorId, createdAt, expiresAt, ...valuesOf(entry)]);
  }

  async endSession(hash: string, entry: Entry): Promise<void> {
    await this.#database.query(END_SESSION, [hash, ...valuesOf(entry)]);
  }
}
