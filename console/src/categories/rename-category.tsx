import { useState } from "preact/hooks";
import { useAction, useConditionalChange } from "../api/hooks.ts";
import type { Category } from "../api/responses.ts";
import { Dialog } from "../components/dialog.tsx";
import { Form, TextField } from "../components/form.tsx";
import type { CategoryDialogProps } from "./category-dialog.ts";
import { NewerCategory } from "./newer-category.tsx";

export function RenameCategory({ of: category, onClose, onDone }: CategoryDialogProps) {
  const [name, setName] = useState(category.value.name);
  const action = useAction();
  const change = useConditionalChange<Category>(`/categories/${category.value.id}`, category);
  const rename = async () => {
    await change.send("PUT", { name });
    onDone();
    onClose();
  };
  return (
    <Dialog title={`Rename ${category.value.name}`} onClose={onClose}>
      <Form action={action} submitLabel="Rename category" onSubmit={rename}>
        {change.isNewer && <NewerCategory category={change.seen} />}
        <TextField label="Name" name="name" value={name} onInput={setName} />
      </Form>
    </Dialog>
  );
}
