import type { Entry } from "../../domain/audit/entry.ts";
import { operatorOf, sessionOf } from "../../domain/operators/columns.ts";
import type { Operator, Session } from "../../domain/operators/operator.ts";
import type { OperatorStore } from "../../domain/operators/store.ts";
import { insertEntry } from "./audit.ts";
import { type Database, read } from "./database.ts";

type Value = string | number | null;

/** Operators and their sessions in a SQLite file. */
export class SqliteOperators implements OperatorStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  findByToken(hash: string): Operator | undefined {
    return this.#one("SELECT * FROM operators WHERE token_hash = ?", hash);
  }

  findBySession(hash: string): { operator: Operator; session: Session } | undefined {
    const sql = `SELECT o.*, s.hash AS session_hash, s.created_at AS session_created_at, s.expires_at AS session_expires_at
      FROM sessions s JOIN operators o ON o.id = s.operator_id WHERE s.hash = ?`;
    const row = read(() => this.#database.prepare(sql).get(hash));
    return row && { operator: operatorOf(row), session: sessionOf(row) };
  }

  get(id: string): Operator | undefined {
    return this.#one("SELECT * FROM operators WHERE id = ?", id);
  }

  list(): Operator[] {
    return read(() => this.#database.prepare("SELECT * FROM operators ORDER BY created_at, id").all()).map(operatorOf);
  }

  add({ id, name, role, createdAt, revokedAt }: Operator, tokenHash: string, entry: Entry): Promise<void> {
    const sql = "INSERT INTO operators (id, name, role, token_hash, created_at, revoked_at) VALUES (?, ?, ?, ?, ?, ?)";
    const values = [id, name, role, tokenHash, createdAt, revokedAt ?? null];
    return this.#database.write(() => this.#run(sql, values, entry));
  }

  revoke(id: string, at: number, entry: Entry): Promise<boolean> {
    return this.#database.write(() => {
      const sql = "UPDATE operators SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL";
      if (this.#database.prepare(sql).run(at, id).changes === 0) return false;
      this.#run("DELETE FROM sessions WHERE operator_id = ?", [id], entry);
      return true;
    });
  }

  addSession({ hash, operatorId, createdAt, expiresAt }: Session, entry: Entry): Promise<void> {
    return this.#database.write(() => {
      this.#database.prepare("DELETE FROM sessions WHERE expires_at <= ?").run(createdAt);
      this.#run(
        "INSERT INTO sessions (hash, operator_id, created_at, expires_at) VALUES (?, ?, ?, ?)",
        [hash, operatorId, createdAt, expiresAt],
        entry,
      );
    });
  }

  endSession(hash: string, entry: Entry): Promise<void> {
    return this.#database.write(() => this.#run("DELETE FROM sessions WHERE hash = ?", [hash], entry));
  }

  #one(sql: string, value: string): Operator | undefined {
    const row = read(() => this.#database.prepare(sql).get(value));
    return row && operatorOf(row);
  }

  #run(sql: string, values: Value[], entry: Entry): void {
    this.#database.prepare(sql).run(...values);
    insertEntry(this.#database, entry);
  }
}
