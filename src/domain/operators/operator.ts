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

/** Whether a session is valid at `now` (Unix ms). One that begins in the future is valid: another node's clock may be ahead. */
export function isValid({ expiresAt }: Session, now: number): boolean {
  return now < expiresAt;
}
