import type { Operator, OperatorStore, Role, Session } from "../../domain/operators.ts";
import { insertEntry } from "./records.ts";
import { insertRow, type Row, type Sql, type Values, type Write } from "./sql.ts";

/**
 * Locks the one row of a table that every creation and revocation locks first: of two admins that revoke each other at once,
 * the second waits for the first and finds itself revoked. Locks on the admins' own rows would end in deadlocks.
 */
const LOCK: Write = { text: "UPDATE petstore.deployment SET name = name", values: {} };

export function sqlOperators(sql: Sql): OperatorStore {
  const operatorWhere = async (condition: string, values: Values) => {
    const row = await sql.first(`SELECT * FROM petstore.operators WHERE ${condition}`, values);
    return row && operatorOf(row);
  };
  const endLink = { text: "DELETE FROM petstore.sign_in_links", values: {} };
  return {
    findByToken: (hash) => operatorWhere("token_hash = :hash", { hash }),
    get: (id) => operatorWhere("id = :id", { id }),

    async findBySession(hash) {
      const row = await sql.first(
        `SELECT o.*, s.hash AS session_hash, s.created_at AS session_created_at, s.expires_at AS session_expires_at
         FROM petstore.sessions s JOIN petstore.operators o ON o.id = s.operator_id WHERE s.hash = :hash`,
        { hash },
      );
      return row && { operator: operatorOf(row), session: sessionOf(row) };
    },

    async list() {
      const rows = await sql.all("SELECT * FROM petstore.operators ORDER BY created_at, id");
      return rows.map(operatorOf);
    },

    async add(operator, tokenHash, entry) {
      await sql.commit(LOCK, endLink, insertOperator(operator, tokenHash), insertEntry(entry));
    },

    addLink: ({ hash, expiresAt }) =>
      sql.commit(LOCK, endLink, {
        text: `INSERT INTO petstore.sign_in_links (hash, expires_at)
               SELECT :hash, CAST(:expiresAt AS BIGINT) WHERE NOT EXISTS (SELECT 1 FROM petstore.operators)`,
        values: { hash, expiresAt },
        mustChange: true,
      }),

    addFirst: (operator, tokenHash, session, linkHash, entries) =>
      sql.commit(
        LOCK,
        {
          text: "DELETE FROM petstore.sign_in_links WHERE hash = :linkHash AND expires_at > :now",
          values: { linkHash, now: session.createdAt },
          mustChange: true,
        },
        insertOperator(operator, tokenHash),
        insertSession(session),
        ...entries.map(insertEntry),
      ),

    revoke: (id, at, entry) =>
      sql.commit(
        LOCK,
        {
          text: `UPDATE petstore.operators SET revoked_at = :at WHERE id = :id AND revoked_at IS NULL AND (role <> 'admin'
                 OR EXISTS (SELECT 1 FROM petstore.operators WHERE role = 'admin' AND revoked_at IS NULL AND id <> :id))`,
          values: { id, at },
          mustChange: true,
        },
        { text: "DELETE FROM petstore.sessions WHERE operator_id = :id", values: { id } },
        insertEntry(entry),
      ),

    async addSession(session, entry) {
      const { createdAt } = session;
      await sql.commit(
        { text: "DELETE FROM petstore.sessions WHERE expires_at <= :createdAt", values: { createdAt } },
        insertSession(session),
        insertEntry(entry),
      );
    },

    async endSession(hash, entry) {
      await sql.commit(
        { text: "DELETE FROM petstore.sessions WHERE hash = :hash", values: { hash }, mustChange: true },
        insertEntry(entry),
      );
    },
  };
}

function insertOperator({ id, name, role, createdAt, revokedAt }: Operator, tokenHash: string): Write {
  const dates = { created_at: createdAt, revoked_at: revokedAt ?? null };
  return insertRow("operators", { id, name, role, token_hash: tokenHash, ...dates });
}

function insertSession({ hash, operatorId, createdAt, expiresAt }: Session): Write {
  return insertRow("sessions", { hash, operator_id: operatorId, created_at: createdAt, expires_at: expiresAt });
}

/** Only this service writes the tables, so the columns have valid values. */
function operatorOf(row: Row): Operator {
  return {
    id: String(row.id),
    name: String(row.name),
    role: row.role as Role,
    createdAt: Number(row.created_at),
    ...(row.revoked_at !== null && { revokedAt: Number(row.revoked_at) }),
  };
}

function sessionOf(row: Row): Session {
  return {
    hash: String(row.session_hash),
    operatorId: String(row.id),
    createdAt: Number(row.session_created_at),
    expiresAt: Number(row.session_expires_at),
  };
}
