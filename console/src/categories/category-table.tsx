import type { Category } from "../api/responses.ts";
import { TableHead } from "../components/table.tsx";
import { categoryHref, listHref } from "../route.ts";

export function CategoryTable({ categories }: { categories: Category[] }) {
  return (
    <table class="cards">
      <TableHead columns={[{ title: "Id", isNumeric: true }, "Name", "Pets"]} />
      <tbody>
        {categories.map(({ id, name }) => (
          <tr key={id}>
            <td data-label="Id" class="number narrow">
              {id}
            </td>
            <th scope="row">
              <a href={categoryHref(id)}>{name}</a>
            </th>
            <td data-label="Pets">
              <a href={listHref("pets", { categoryId: String(id) })} aria-label={`Show pets of ${name}`}>
                Show pets
              </a>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
