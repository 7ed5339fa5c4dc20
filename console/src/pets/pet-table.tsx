import type { Pet } from "../api/responses.ts";
import { CategoryLink, useCategoryNames } from "../categories/category-link.tsx";
import { TableHead } from "../components/table.tsx";
import { Badge } from "../components/values.tsx";
import { petHref } from "../route.ts";
import { toneOf } from "./labels.ts";

/** A page of at least one pet. */
export function PetTable({ pets }: { pets: Pet[] }) {
  const names = useCategoryNames(pets.map(({ categoryId }) => categoryId));
  return (
    <table class="cards">
      <TableHead columns={[{ title: "Id", isNumeric: true }, "Name", "Category", "Status"]} />
      <tbody>
        {pets.map(({ id, name, categoryId, status }) => (
          <tr key={id}>
            <td data-label="Id" class="number narrow">
              {id}
            </td>
            <th scope="row">
              <a href={petHref(id)}>{name}</a>
            </th>
            <td data-label="Category" class="text">
              <CategoryLink id={categoryId} names={names} />
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
