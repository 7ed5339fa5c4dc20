import { INT64_MAX } from "../../domain/int64.ts";
import { OrderStatus } from "../../domain/orders/order.ts";
import type { OrdersPage } from "../../domain/orders/store.ts";
import { among, type Condition } from "./page-query.ts";
import type { Statement } from "./sql.ts";

/**
 * Returns the statement of a page of orders. The index by pet has the orders of each status in order: for those of any
 * status a page is merged from a page of each.
 */
export function selectOrders(
  columns: string,
  { limit, after, order = "asc", status, petId, ids }: OrdersPage,
): Statement {
  const conditions: Condition[] = [
    order === "asc"
      ? { text: "id > :after", values: { after: after ?? 0n } }
      : { text: "id < :after", values: { after: after ?? INT64_MAX } },
    ...(petId === undefined ? [] : [{ text: "pet_id = :petId", values: { petId } }]),
    ...(ids === undefined ? [] : [among(ids)]),
  ];
  const filter = conditions.map(({ text }) => text).join(" AND ");
  const page = `ORDER BY id ${order} LIMIT :limit`;
  const pageOf = (one: OrderStatus | undefined) => {
    const where = one === undefined ? filter : `${filter} AND status = '${one}'`;
    return `SELECT ${columns} FROM petstore.orders WHERE ${where} ${page}`;
  };
  const merged = () => OrderStatus.options.map((one) => `SELECT * FROM (${pageOf(one)}) AS page`).join(" UNION ALL ");
  return {
    text: petId !== undefined && status === undefined ? `${merged()} ${page}` : pageOf(status),
    values: Object.assign({ limit }, ...conditions.map(({ values }) => values)),
  };
}
