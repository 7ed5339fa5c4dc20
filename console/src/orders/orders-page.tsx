import { Button } from "../components/button.tsx";
import { IdFilter, SegmentedControl, SelectFilter } from "../components/filters.tsx";
import { EmptyState, Page } from "../components/page.tsx";
import { paginationIn } from "../components/table.tsx";
import { changeQuery, replaceQuery } from "../route.ts";
import { statuses } from "./labels.ts";
import { OrderList } from "./order-list.tsx";

const PAGE_SIZE = 50;
/** By id. "" is the default, which the address does not have. */
const directions = [
  ["", "Newest first"],
  ["asc", "Oldest first"],
] as const;

/** The list of orders, with filters that the address keeps. */
export function OrdersPage({ parameters }: { parameters: URLSearchParams }) {
  const given = (name: string) => parameters.get(name) ?? "";
  const filters = { status: given("status"), petId: given("petId"), id: given("id"), order: given("order") };
  const filter = (changed: Partial<typeof filters>) => changeQuery("orders", changed);
  const { id, order, ...rest } = filters;
  const isFiltered = parameters.size > 0;
  return (
    <Page title="Orders">
      <search class="filters">
        <SelectFilter
          label="Status"
          all="All statuses"
          value={filters.status}
          options={statuses}
          onChange={(status) => filter({ status })}
        />
        <IdFilter label="Pet" of="pet" value={filters.petId} onChange={(petId) => filter({ petId })} />
        <IdFilter label="Order" of="order" value={id} onChange={(text) => filter({ id: text })} />
        <SegmentedControl
          label="Sort"
          options={directions}
          value={order === "asc" ? "asc" : ""}
          onChange={(chosen) => filter({ order: chosen })}
        />
      </search>
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
