import type { OrderStatus } from "./order.ts";

/** How many orders have each status. */
export type OrderCounts = Record<OrderStatus, number>;
