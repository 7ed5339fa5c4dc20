import { Button } from "../components/button.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { SelectFilter, TextFilter } from "../components/filter.tsx";
import { Page } from "../components/page.tsx";
import { replaceQuery } from "../route.ts";
import { statuses } from "./labels.ts";
import { OrderList } from "./order-list.tsx";

const PAGE_SIZE = 50;

/** The list of orders, with filters that the address keeps. */
export function OrdersPage({ parameters }: { parameters: URLSearchParams }) {
  const given = (name: string) => parameters.get(name) ?? "";
  const filters = { status: given("status"), petId: given("petId"), id: given("id") };
  const filter = (changed: Partial<typeof filters>) => replaceQuery("orders", { ...filters, ...changed });
  const { id, ...rest } = filters;
  const isFiltered = Object.values(filters).some((value) => value !== "");
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
        <TextFilter
          label="Pet"
          placeholder="Id of the pet"
          inputMode="numeric"
          value={filters.petId}
          onChange={(petId) => filter({ petId })}
        />
        <TextFilter
          label="Order"
          placeholder="Id of the order"
          inputMode="numeric"
          value={id}
          onChange={(text) => filter({ id: text })}
        />
      </search>
      <OrderList pageSize={PAGE_SIZE} filters={{ ...rest, ids: id }}>
        {isFiltered ? (
          <EmptyState icon="search" title="No matching orders">
            <Button onClick={() => replaceQuery("orders", {})}>Clear filters</Button>
          </EmptyState>
        ) : (
          <EmptyState icon="orders" title="No orders yet">
            <p>Clients of the API place orders for available pets.</p>
          </EmptyState>
        )}
      </OrderList>
    </Page>
  );
}
