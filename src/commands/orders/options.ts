import { Option } from "commander";
import { OrderStatus } from "../../domain/orders/order.ts";
import { parseInt64 } from "../options.ts";

export const ID_ARGUMENT = ["<id>", "the order's id: `petstore orders list` shows it", parseInt64] as const;

export function statusOption(): Option {
  return new Option("--status <status>", "only orders of this status").choices(OrderStatus.options);
}
