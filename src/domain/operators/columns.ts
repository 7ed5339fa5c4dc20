import type { Operator, Role, Session } from "./operator.ts";

type Columns = Readonly<Record<string, unknown>>;

/** The operator that a row of a table of ours holds: its checks are ours, so the columns are what they say. */
export function operatorOf(row: Columns): Operator {
  return {
    id: String(row.id),
    name: String(row.name),
    role: row.role as Role,
    createdAt: Number(row.created_at),
    ...(row.revoked_at !== null && { revokedAt: Number(row.revoked_at) }),
  };
}

/** The session that a row holds whose columns are named `session_…`. */
export function sessionOf(row: Columns): Session {
  return {
    hash: String(row.session_hash),
    operatorId: String(row.id),
    createdAt: Number(row.session_created_at),
    expiresAt: Number(row.session_expires_at),
  };
}
