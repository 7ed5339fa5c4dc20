import type { Overview } from "../api/responses.ts";
import { Panel } from "../components/page.tsx";
import { formatCount } from "../format.ts";
import { listHref } from "../route.ts";

/** How many pets and how many orders have each status. */
export function Shop({ of: { pets, orders } }: { of: Pick<Overview, "pets" | "orders"> }) {
  return (
    <Panel title="Pets and orders">
      <ul class="rows">
        <Row name="Available pets" list="pets" status="available" count={pets.available} />
        <Row name="Pending pets" list="pets" status="pending" count={pets.pending} />
        <Row name="Sold pets" list="pets" status="sold" count={pets.sold} />
        <Row name="Orders to approve" list="orders" status="placed" count={orders.placed} />
        <Row name="Orders to deliver" list="orders" status="approved" count={orders.approved} />
        <Row name="Delivered orders" list="orders" status="delivered" count={orders.delivered} />
        <Row name="Cancelled orders" list="orders" status="cancelled" count={orders.cancelled} />
      </ul>
    </Panel>
  );
}

type RowProps = { name: string; list: "pets" | "orders"; status: string; count: number };

function Row({ name, list, status, count }: RowProps) {
  return (
    <li>
      <a href={listHref(list, { status })}>{name}</a>
      <strong class="number">{formatCount(count)}</strong>
    </li>
  );
}
