import type { Pet } from "../api/responses.ts";
import { Badge, type Tone } from "../components/badge.tsx";

const toneOf: Record<Pet["status"], Tone> = { available: "good", pending: "warn", sold: "quiet" };

export function PetTable({ pets }: { pets: Pet[] }) {
  return (
    <table class="cards">
      <thead>
        <tr>
          <th scope="col" class="number">
            Id
          </th>
          <th scope="col">Name</th>
          <th scope="col" class="number">
            Category
          </th>
          <th scope="col">Status</th>
        </tr>
      </thead>
      <tbody>
        {pets.map(({ id, name, categoryId, status }) => (
          <tr key={id}>
            <td data-label="Id" class="number narrow">
              {id}
            </td>
            <th scope="row">{name}</th>
            <td data-label="Category" class="number">
              {categoryId}
            </td>
            <td class="status">
              <Badge tone={toneOf[status]}>{status}</Badge>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
