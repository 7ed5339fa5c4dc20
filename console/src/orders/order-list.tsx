import type { ComponentChildren } from "preact";
import { withQuery } from "../api/call.ts";
import { useFetch } from "../api/hooks.ts";
import type { Orders } from "../api/responses.ts";
import { AsyncContent } from "../components/page.tsx";
import { Pager, type Pagination } from "../components/table.tsx";
import { isBeingRead } from "../focus.ts";
import { OrderTable } from "./order-table.tsx";

const REFRESH_MS = 5_000;

type OrderListProps = {
  pageSize: number;
  pagination: Pagination;
  /** Parameters of the API; "" for none. */
  filters: Record<string, string>;
  /** What is shown when no order matches. */
  children: ComponentChildren;
};

/** A page of the orders that match the filters. */
export function OrderList({ pageSize, pagination, filters, children }: OrderListProps) {
  const query = { limit: pageSize, after: pagination.cursor, ...filters };
  const fetched = useFetch<Orders>(withQuery("/orders", query), REFRESH_MS, isBeingRead);
  return (
    <AsyncContent fetched={fetched} lines={6}>
      {({ orders, next }) =>
        orders.length === 0 ? (
          children
        ) : (
          <>
            <OrderTable orders={orders} />
            <Pager pagination={pagination} next={next} pageSize={pageSize} count={orders.length} noun="order" />
          </>
        )
      }
    </AsyncContent>
  );
}
