import { PetstoreError } from "./errors.ts";

/** The statuses that may follow each status. */
export type Transitions<Status extends string> = Readonly<Record<Status, readonly Status[]>>;

/** @throws invalid_transition, naming the statuses that are allowed. `what` names the resource, with its article. */
export function requireTransition<Status extends string>(
  what: string,
  transitions: Transitions<Status>,
  from: Status,
  to: Status,
): void {
  const allowed = transitions[from];
  if (allowed.includes(to)) return;
  const rest = allowed.length === 0 ? ": this status is final." : `, only ${allowed.join(" or ")}.`;
  throw new PetstoreError("invalid_transition", { message: `${what} that is ${from} cannot become ${to}${rest}` });
}
