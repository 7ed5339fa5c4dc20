import { RemoveDialog } from "../components/dialogs.tsx";
import { listHref } from "../route.ts";
import type { CategoryDialogProps } from "./category-dialog.ts";
import { NewerCategory } from "./newer-category.tsx";

export function RemoveCategory({ of: category, onClose }: CategoryDialogProps) {
  const pets = listHref("pets", { categoryId: String(category.value.id) });
  return (
    <RemoveDialog of={category} list="categories" newer={(seen) => <NewerCategory category={seen} />} onClose={onClose}>
      <p>
        Only a category without pets can be removed: see <a href={pets}>the pets of this category</a>.
      </p>
    </RemoveDialog>
  );
}
