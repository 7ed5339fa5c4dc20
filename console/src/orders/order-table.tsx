import type { Order } from "../api/responses.ts";
import { Badge } from "../components/badge.tsx";
import { Timestamp } from "../components/timestamp.tsx";
import { orderHref, petHref } from "../route.ts";
import { toneOf } from "./labels.ts";

export function OrderTable({ orders }: { orders: Order[] }) {
  return (
    <table class="cards">
      <thead>
        <tr>
          <th scope="col">Order</th>
          <th scope="col">Status</th>
          <th scope="col">Pet</th>
          <th scope="col">Placed</th>
          <th scope="col">Last change</th>
        </tr>
      </thead>
      <tbody>
        {orders.map(({ id, petId, status, createdAt, updatedAt }) => (
          <tr key={id}>
            <th scope="row">
              <a href={orderHref(id)}>Order {id}</a>
            </th>
            <td class="status">
              <Badge tone={toneOf[status]}>{status}</Badge>
            </td>
            <td data-label="Pet">
              <a href={petHref(petId)}>Pet {petId}</a>
            </td>
            <td data-label="Placed">
              <Timestamp at={createdAt} />
            </td>
            <td data-label="Last change">
              <Timestamp at={updatedAt} format="relative" />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
