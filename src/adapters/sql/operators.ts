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
      await sql.commit(LOCK, endLink, insertOperator(operator, { token_hash: tokenHash }), insertEntry(entry));
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
        insertOperator(operator, { token_hash: tokenHash }),
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

    signInWith({ issuer, subject }, decide) {
      return sql.transaction(function* () {
        yield LOCK;
        const [row] = yield {
          text: "SELECT * FROM petstore.operators WHERE provider = :issuer AND subject = :subject",
          values: { issuer, subject },
        };
        const decided = decide(row && operatorOf(row));
        if (decided === undefined) return undefined;
        const { operator, session, entries } = decided;
        const { id, name, role } = operator;
        if (row === undefined) {
          yield endLink;
          yield insertOperator(operator, { subject });
        } else {
          yield {
            text: "UPDATE petstore.operators SET name = :name, role = :role WHERE id = :id",
            values: { id, name, role },
          };
        }
        yield endSessionsBefore(session);
        yield insertSession(session);
        for (const entry of entries) yield insertEntry(entry);
        return decided;
      });
    },

    async endSessionsOf({ issuer, subject }) {
      await sql.commit({
        text: `DELETE FROM petstore.sessions WHERE operator_id IN
               (SELECT id FROM petstore.operators WHERE provider = :issuer AND subject = :subject)`,
        values: { issuer, subject },
      });
    },

    async addSession(session, entry) {
      await sql.commit(endSessionsBefore(session), insertSession(session), insertEntry(entry));
    },

    async endSession(hash, entry) {
      await sql.commit(
        { text: "DELETE FROM petstore.sessions WHERE hash = :hash", values: { hash }, mustChange: true },
        insertEntry(entry),
      );
    },
  };
}

/** `by`: how it signs in. */
function insertOperator(
  { id, name, role, provider, createdAt, revokedAt }: Operator,
  by: { token_hash: string } | { subject: string },
): Write {
  const dates = { created_at: createdAt, revoked_at: revokedAt ?? null };
  return insertRow("operators", { id, name, role, provider: provider ?? null, ...by, ...dates });
}

/** Removes the sessions that have ended when this one begins. */
function endSessionsBefore({ createdAt }: Session): Write {
  return { text: "DELETE FROM petstore.sessions WHERE expires_at <= :createdAt", values: { createdAt } };
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
    ...(row.provider !== null && { provider: String(row.provider) }),
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
