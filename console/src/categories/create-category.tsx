import { useState } from "preact/hooks";
import { useAction } from "../api/action.ts";
import { call } from "../api/call.ts";
import type { Category } from "../api/responses.ts";
import { Dialog } from "../components/dialog.tsx";
import { TextField } from "../components/field.tsx";
import { Form } from "../components/form.tsx";

/** `id`: that of a category that pets have and that does not exist; a new one if it is left out. */
type CreateCategoryProps = { id?: string; onClose: () => void; onDone: () => void };

export function CreateCategory({ id, onClose, onDone }: CreateCategoryProps) {
  const [name, setName] = useState("");
  const action = useAction();
  const create = async () => {
    if (id === undefined) await call<Category>("POST", "/categories", { name });
    else await call<Category>("PUT", `/categories/${id}`, { name });
    onDone();
    onClose();
  };
  return (
    <Dialog title={id === undefined ? "Create category" : `Create category ${id}`} onClose={onClose}>
      <Form action={action} submitLabel="Create category" onSubmit={create}>
        <TextField label="Name" name="name" value={name} onInput={setName} hint="No two names differ only in case." />
      </Form>
    </Dialog>
  );
}
