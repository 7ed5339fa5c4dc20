import { useAction } from "../api/action.ts";
import { useConditionalChange } from "../api/conditional-change.ts";
import type { Category } from "../api/responses.ts";
import { Dialog } from "../components/dialog.tsx";
import { Form } from "../components/form.tsx";
import { listHref } from "../route.ts";
import type { CategoryDialogProps } from "./category-dialog.ts";

export function RemoveCategory({ of: category, onClose, onDone }: CategoryDialogProps) {
  const action = useAction();
  const { id, name } = category.value;
  const change = useConditionalChange<Category>(`/categories/${id}`, category);
  const remove = async () => {
    await change.send("DELETE");
    onDone();
    onClose();
  };
  return (
    <Dialog title={`Remove ${name}?`} onClose={onClose}>
      <Form action={action} submitLabel={`Remove ${name}`} isDangerous onSubmit={remove}>
        {change.isNewer && (
          <p class="note">
            Its name is now <strong>{change.seen.name}</strong>.
          </p>
        )}
        <p>
          Only a category without pets can be removed: see{" "}
          <a href={listHref("pets", { categoryId: String(id) })}>the pets of this category</a>.
        </p>
      </Form>
    </Dialog>
  );
}
