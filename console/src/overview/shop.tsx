import { useFetch } from "../api/fetched.ts";
import type { Orders, Overview } from "../api/responses.ts";
import { Panel } from "../components/page.tsx";
import { formatCount } from "../format/number.ts";
import { listHref } from "../route.ts";

const REFRESH_MS = 10_000;
/** The service does not count orders: a page of them is counted. */
const MOST_ORDERS = 100;

/** How many pets have each status, and how many orders wait to be approved or delivered. */
export function Shop({ pets }: { pets: Overview["pets"] }) {
  return (
    <Panel title="Pets and orders">
      <ul class="rows">
        <Row
          name="Available pets"
          href={listHref("pets", { status: "available" })}
          count={formatCount(pets.available)}
        />
        <Row name="Pending pets" href={listHref("pets", { status: "pending" })} count={formatCount(pets.pending)} />
        <Row name="Sold pets" href={listHref("pets", { status: "sold" })} count={formatCount(pets.sold)} />
        <OrdersRow name="Orders to approve" status="placed" />
        <OrdersRow name="Orders to deliver" status="approved" />
      </ul>
    </Panel>
  );
}

function OrdersRow({ name, status }: { name: string; status: string }) {
  const { value } = useFetch<Orders>(`/orders?status=${status}&limit=${MOST_ORDERS}`, REFRESH_MS);
  const count = value === undefined ? "–" : `${value.orders.length}${value.next === null ? "" : "+"}`;
  return <Row name={name} href={listHref("orders", { status })} count={count} />;
}

function Row({ name, href, count }: { name: string; href: string; count: string }) {
  return (
    <li>
      <a href={href}>{name}</a>
      <strong class="number">{count}</strong>
    </li>
  );
}
