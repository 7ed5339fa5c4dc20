import type { Pet } from "../api/responses.ts";
import { CategoryLink, useCategoryNames } from "../categories/category-link.tsx";
import { DescriptionItem, DescriptionList, Panel } from "../components/page.tsx";
import { Badge } from "../components/values.tsx";
import { toneOf } from "./labels.ts";

export function PetDetails({ of: { id, name, categoryId, status } }: { of: Pet }) {
  const names = useCategoryNames([categoryId]);
  return (
    <Panel title="Details">
      <DescriptionList>
        <DescriptionItem term="Id">
          <code>{id}</code>
        </DescriptionItem>
        <DescriptionItem term="Name">{name}</DescriptionItem>
        <DescriptionItem term="Category">
          <CategoryLink id={categoryId} names={names} />
        </DescriptionItem>
        <DescriptionItem term="Status">
          <Badge tone={toneOf[status]}>{status}</Badge>
        </DescriptionItem>
      </DescriptionList>
    </Panel>
  );
}
