import type { Transitions } from "../transition.ts";
import type { OrderStatus } from "./order.ts";

/** The statuses that may follow each status of an order. Source: docs/interface.md, Orders. */
export const orderTransitions = {
  placed: ["approved", "cancelled"],
  approved: ["delivered", "cancelled"],
  delivered: [],
  cancelled: [],
} as const satisfies Transitions<OrderStatus>;
