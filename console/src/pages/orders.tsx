import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { orderTransitions } from "../../../src/domain/transitions.ts";
import { ApiError, type Tagged, withQuery } from "../api/call.ts";
import { REFRESH_MS, useAction, useConditionalChange, useFetch } from "../api/hooks.ts";
import type { Order, Orders } from "../api/responses.ts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { type Filter, Filters, idFilter } from "../components/filters.tsx";
import { Form } from "../components/form.tsx";
import { AsyncContent, DescriptionItem, DescriptionList, EmptyState, Page, Panel } from "../components/page.tsx";
import { PAGE_SIZE, Pager, type Pagination, paginationIn, TableHead } from "../components/table.tsx";
import { Badge, Timestamp, type Tone } from "../components/values.tsx";
import { isBeingRead } from "../focus.ts";
import { orderHref, petHref, replaceQuery } from "../route.ts";
import { useIsAdmin } from "../session.tsx";
import { ChangesByOperators, History } from "./audit.tsx";
import { CategoryLink, useCategoryNames } from "./categories.tsx";

type NextStatus = (typeof orderTransitions)[Order["status"]][number];

/** How an order gets each status: the verb, and what becomes of its pet. */
const changes: Record<NextStatus, { verb: string; effect: string }> = {
  approved: { verb: "Approve", effect: "The pet stays reserved. An approved order can be delivered or cancelled." },
  delivered: { verb: "Deliver", effect: "The pet becomes sold. A delivered order cannot be changed any more." },
  cancelled: {
    verb: "Cancel",
    effect: "The pet becomes available again. A cancelled order cannot be changed any more.",
  },
};

const verbOf = (status: NextStatus): string => changes[status].verb;

type ChangeOrderProps = { of: Tagged<Order>; to: NextStatus; onClose: () => void; onDone: () => Promise<void> };

function ChangeOrder({ of: order, to, onClose, onDone }: ChangeOrderProps) {
  const action = useAction();
  const { verb, effect } = changes[to];
  const { id } = order.value;
  const change = useConditionalChange<Order>(`/orders/${id}`, order);
  const submit = async () => {
    await change.send("PATCH", { status: to });
    await onDone();
    onClose();
  };
  if (!orderTransitions[change.seen.status].some((status) => status === to)) {
    return (
      <Dialog title={`Order ${id} cannot be ${to} any more`} onClose={onClose}>
        <div class="fields">
          <p class="note" role="alert">
            The order is now <strong>{change.seen.status}</strong>.
          </p>
        </div>
        <footer>
          <Button onClick={onClose}>Back</Button>
        </footer>
      </Dialog>
    );
  }
  return (
    <Dialog title={`${verb} order ${id}?`} onClose={onClose}>
      <Form
        action={action}
        submitLabel={`${verb} order`}
        dismissLabel="Back"
        isDangerous={to === "cancelled"}
        onSubmit={submit}
      >
        {change.isNewer && (
          <p class="note">
            The order is now <strong>{change.seen.status}</strong>.
          </p>
        )}
        <p>{effect}</p>
      </Form>
    </Dialog>
  );
}

const orderStatuses = [
  ["placed", "Placed"],
  ["approved", "Approved"],
  ["delivered", "Delivered"],
  ["cancelled", "Cancelled"],
] as const satisfies readonly (readonly [Order["status"], string])[];

const toneOfOrder: Record<Order["status"], Tone> = {
  placed: "warn",
  approved: "good",
  delivered: "quiet",
  cancelled: "bad",
};

/** The actions that the status of an order allows. */
function OrderActions({ of: order, onDone }: { of: Tagged<Order>; onDone: () => Promise<void> }) {
  const [open, setOpen] = useState<NextStatus>();
  return (
    <>
      {orderTransitions[order.value.status].map((status) => (
        <Button key={status} kind={status === "cancelled" ? "danger" : "primary"} onClick={() => setOpen(status)}>
          {verbOf(status)}
        </Button>
      ))}
      {open !== undefined && <ChangeOrder of={order} to={open} onClose={() => setOpen(undefined)} onDone={onDone} />}
    </>
  );
}

/** The pet of an order, by the name that it had then. */
function OrderedPet({ of: { pet, petId } }: { of: Order }) {
  return (
    <>
      <a href={petHref(petId)}>{pet?.name ?? `Pet ${petId}`}</a> {pet !== null && <span class="faint">{petId}</span>}
    </>
  );
}

function OrderDetails({ of: order }: { of: Order }) {
  const { pet, reference, createdAt, updatedAt, expiresAt } = order;
  const names = useCategoryNames(pet === null ? [] : [pet.categoryId]);
  return (
    <Panel title="Details">
      <DescriptionList>
        <DescriptionItem term="Pet">
          <OrderedPet of={order} />
        </DescriptionItem>
        {pet !== null && (
          <DescriptionItem term="Category">
            <CategoryLink id={pet.categoryId} names={names} />
          </DescriptionItem>
        )}
        {reference !== undefined && <DescriptionItem term="Reference">{reference}</DescriptionItem>}
        <DescriptionItem term="Placed">
          <Timestamp at={createdAt} />
        </DescriptionItem>
        <DescriptionItem term="Last change">
          <Timestamp at={updatedAt} />
        </DescriptionItem>
        {expiresAt !== undefined && (
          <DescriptionItem term="Expires">
            <Timestamp at={expiresAt} />
          </DescriptionItem>
        )}
      </DescriptionList>
    </Panel>
  );
}

function OrderTable({ orders }: { orders: Order[] }) {
  return (
    <table class="cards">
      <TableHead columns={["Order", "Status", "Pet", "Reference", "Placed", "Last change"]} />
      <tbody>
        {orders.map((order) => (
          <tr key={order.id}>
            <th scope="row">
              <a href={orderHref(order.id)}>Order {order.id}</a>
            </th>
            <td class="status">
              <Badge tone={toneOfOrder[order.status]}>{order.status}</Badge>
            </td>
            <td data-label="Pet">
              <OrderedPet of={order} />
            </td>
            <td data-label="Reference">{order.reference}</td>
            <td data-label="Placed">
              <Timestamp at={order.createdAt} />
            </td>
            <td data-label="Last change">
              <Timestamp at={order.updatedAt} format="relative" />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

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
      {({ orders, next, total }) =>
        orders.length === 0 ? (
          children
        ) : (
          <>
            <OrderTable orders={orders} />
            <Pager
              pagination={pagination}
              next={next}
              pageSize={pageSize}
              count={orders.length}
              total={total ?? undefined}
              noun="order"
            />
          </>
        )
      }
    </AsyncContent>
  );
}

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
          {order !== undefined && <Badge tone={toneOfOrder[order.status]}>{order.status}</Badge>}
        </>
      }
      actions={order !== undefined && isAdmin && <OrderActions of={{ value: order, etag }} onDone={fetched.reload} />}
    >
      <AsyncContent fetched={fetched} lines={6}>
        {(current) => (
          <>
            <OrderDetails of={current} />
            {/* Fetched again when the order changes. */}
            <History key={etag} subject={`orders/${id}`} />
            <ChangesByOperators key={`by ${etag}`} kind="order" id={id} />
          </>
        )}
      </AsyncContent>
    </Page>
  );
}

const orderFilters: Filter[] = [
  { kind: "choice", name: "status", label: "Status", none: "All statuses", options: orderStatuses },
  idFilter("petId", "Pet", "pet"),
  { kind: "text", name: "reference", label: "Reference", placeholder: "Whole reference" },
  idFilter("id", "Order", "order"),
  { kind: "order", name: "order", label: "Sort", none: "Newest first", options: [["asc", "Oldest first"]] },
];

/** The list of orders, with filters that the address keeps. */
export function OrdersPage({ parameters }: { parameters: URLSearchParams }) {
  const { after: _, id = "", order = "", ...rest } = Object.fromEntries(parameters);
  const isFiltered = parameters.size > 0;
  return (
    <Page title="Orders">
      <Filters page="orders" of={orderFilters} parameters={parameters} />
      <OrderList
        pageSize={PAGE_SIZE}
        pagination={paginationIn("orders", parameters)}
        filters={{ ...rest, order: order || "desc", ids: id }}
      >
        {isFiltered ? (
          <EmptyState icon="search" title="No matching orders">
            <Button onClick={() => replaceQuery("orders", {})}>Clear filters</Button>
          </EmptyState>
        ) : (
          <EmptyState icon="orders" title="No orders yet">
            <p>Clients of the API order available pets; admins order one on its page.</p>
          </EmptyState>
        )}
      </OrderList>
    </Page>
  );
}
