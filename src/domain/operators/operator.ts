export const roles = ["viewer", "admin"] as const;
/** A viewer looks at everything, an admin changes it. */
export type Role = (typeof roles)[number];

/** A person or program that operates the service. Times are Unix milliseconds. */
export type Operator = { id: string; name: string; role: Role; createdAt: number; revokedAt?: number };

/** An operator signed in. Only the SHA-256 of the session's secret is stored. Times are Unix milliseconds. */
export type Session = { hash: string; operatorId: string; createdAt: number; expiresAt: number };

/** How long a session lasts, used or not, in ms. */
export const SESSION_LENGTH = 12 * 3_600_000;

/** Whether a session is valid at `now` (Unix ms), also when its clock was ahead and it begins in the future. */
export function isValid({ expiresAt }: Session, now: number): boolean {
  return now < expiresAt;
}
