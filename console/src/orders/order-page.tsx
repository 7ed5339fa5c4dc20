import { ApiError } from "../api/call.ts";
import { useFetch } from "../api/hooks.ts";
import type { Order } from "../api/responses.ts";
import { History } from "../audit/history.tsx";
import { AsyncContent, EmptyState, Page } from "../components/page.tsx";
import { Badge } from "../components/values.tsx";
import { useIsAdmin } from "../session.tsx";
import { toneOf } from "./labels.ts";
import { OrderActions } from "./order-actions.tsx";
import { OrderDetails } from "./order-details.tsx";

const REFRESH_MS = 5_000;

/** An order, its changes, and its actions. */
export function OrderPage({ id }: { id: string }) {
  const fetched = useFetch<Order>(`/orders/${encodeURIComponent(id)}`, REFRESH_MS);
  const isAdmin = useIsAdmin();
  const { value: order, etag, error } = fetched;
  if (error instanceof ApiError && error.status === 404) {
    return (
      <Page title="Order">
        <EmptyState icon="orders" title="Order not found">
          <p>
            No order has the id <code>{id}</code>. See <a href="#/orders">all orders</a>.
          </p>
        </EmptyState>
      </Page>
    );
  }
  return (
    <Page
      title={`Order ${id}`}
      description={
        <>
          <a href="#/orders">Orders</a> / <code>{id}</code>{" "}
          {order !== undefined && <Badge tone={toneOf[order.status]}>{order.status}</Badge>}
        </>
      }
      actions={order !== undefined && isAdmin && <OrderActions of={{ value: order, etag }} onDone={fetched.reload} />}
    >
      <AsyncContent fetched={fetched} lines={6}>
        {(current) => (
          <>
            <OrderDetails of={current} />
            {/* Fetched again when the order changes. */}
            <History key={etag} kind="order" id={id} />
          </>
        )}
      </AsyncContent>
    </Page>
  );
}
