import { withQuery } from "../api/call.ts";
import { useFetch } from "../api/hooks.ts";
import type { Pets } from "../api/responses.ts";
import { AsyncContent, Panel } from "../components/page.tsx";
import { listHref, petHref } from "../route.ts";

/** The first pets of a category. */
export function CategoryPets({ id }: { id: string }) {
  const fetched = useFetch<Pets>(withQuery("/pets", { categoryId: id, limit: 5 }));
  return (
    <Panel title="Pets" aside={<a href={listHref("pets", { categoryId: id })}>View all</a>}>
      <AsyncContent fetched={fetched} lines={3}>
        {({ pets }) =>
          pets.length === 0 ? (
            <p class="quiet">No pet has this category.</p>
          ) : (
            <ul class="rows">
              {pets.map((pet) => (
                <li key={pet.id}>
                  <a href={petHref(pet.id)}>{pet.name}</a>
                  <span class="faint">{pet.status}</span>
                </li>
              ))}
            </ul>
          )
        }
      </AsyncContent>
    </Panel>
  );
}
