export const roles = ["viewer", "admin"] as const;
/** A viewer looks at everything, an admin changes it. */
export type Role = (typeof roles)[number];

/** One who runs the service. Moments are Unix milliseconds. */
export type Operator = { id: string; name: string; role: Role; createdAt: number; revokedAt?: number };

/** A time in which an operator is signed in, by a secret of its own of which only the SHA-256 is kept. Moments are Unix ms. */
export type Session = { hash: string; operatorId: string; createdAt: number; expiresAt: number };

/** How long a session lasts, whatever is done in it, in ms. */
export const SESSION_LENGTH = 12 * 3_600_000;

/** Whether a session is on at `now` (Unix ms). One that began in the future stems from a clock since set back: it is. */
export function isOn({ expiresAt }: Session, now: number): boolean {
  return now < expiresAt;
}
