import { PetstoreError } from "./errors.ts";

// The statuses of pets and orders, and which may follow which. Apart from the schemas, because the console has no need of those.

type Transitions<Status extends string> = Readonly<Record<Status, readonly Status[]>>;

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

/** The statuses that may follow each status of a pet. Source: docs/interface.md, Change a pet. */
export const petTransitions = {
  available: ["pending", "sold"],
  pending: ["available", "sold"],
  sold: ["available"],
} as const satisfies Transitions<"available" | "pending" | "sold">;

/** The statuses that may follow each status of an order. Source: docs/interface.md, Orders. */
export const orderTransitions = {
  placed: ["approved", "cancelled"],
  approved: ["delivered", "cancelled"],
  delivered: [],
  cancelled: [],
} as const satisfies Transitions<"placed" | "approved" | "delivered" | "cancelled">;
