import { Option } from "commander";
import { OrderStatus } from "../../domain/orders/order.ts";
import { parseAssignedId } from "../options.ts";

export const ID_ARGUMENT = ["<id>", "the order's id: `petstore orders list` shows it", parseAssignedId] as const;

export function statusOption(): Option {
  return new Option("--status <status>", "only orders of this status").choices(OrderStatus.options);
}
