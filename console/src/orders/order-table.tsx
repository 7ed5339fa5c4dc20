import type { Order } from "../api/responses.ts";
import { TableHead } from "../components/table.tsx";
import { Badge, Timestamp } from "../components/values.tsx";
import { orderHref, petHref } from "../route.ts";
import { toneOf } from "./labels.ts";

export function OrderTable({ orders }: { orders: Order[] }) {
  return (
    <table class="cards">
      <TableHead columns={["Order", "Status", "Pet", "Placed", "Last change"]} />
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
