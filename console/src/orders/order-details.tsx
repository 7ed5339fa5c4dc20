import { useFetch } from "../api/hooks.ts";
import type { Order, Pet } from "../api/responses.ts";
import { DescriptionItem, DescriptionList, Panel } from "../components/page.tsx";
import { Timestamp } from "../components/values.tsx";
import { petHref } from "../route.ts";

export function OrderDetails({ of: { petId, createdAt, updatedAt } }: { of: Order }) {
  // A pet may have been removed since: then it has no name.
  const { value: pet } = useFetch<Pet>(`/pets/${petId}`);
  return (
    <Panel title="Details">
      <DescriptionList>
        <DescriptionItem term="Pet">
          <a href={petHref(petId)}>{pet?.name ?? `Pet ${petId}`}</a> <span class="faint">{petId}</span>
        </DescriptionItem>
        <DescriptionItem term="Placed">
          <Timestamp at={createdAt} />
        </DescriptionItem>
        <DescriptionItem term="Last change">
          <Timestamp at={updatedAt} />
        </DescriptionItem>
      </DescriptionList>
    </Panel>
  );
}
