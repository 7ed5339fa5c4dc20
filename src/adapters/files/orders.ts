import { orderJson, type StoredOrder } from "../../domain/orders/order.ts";
import type { WritableContent } from "./content.ts";

export const orders: WritableContent<StoredOrder> = {
  columns: ["id", "petId", "status", "createdAt", "updatedAt"],
  json: (order) => JSON.stringify(orderJson(order)),
  cells: (order) => Object.values(orderJson(order)).map(String),
};
