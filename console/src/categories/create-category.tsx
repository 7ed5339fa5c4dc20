import { useState } from "preact/hooks";
import { ApiError, call } from "../api/call.ts";
import { useAction } from "../api/hooks.ts";
import type { Category } from "../api/responses.ts";
import { Dialog } from "../components/dialog.tsx";
import { Form, TextField } from "../components/form.tsx";

/** `id`: that of a category that pets have and that does not exist; a new one if it is left out. */
type CreateCategoryProps = { id?: string; onClose: () => void; onDone: () => void };

export function CreateCategory({ id, onClose, onDone }: CreateCategoryProps) {
  const [name, setName] = useState("");
  const action = useAction();
  const create = async () => {
    if (id === undefined) await call<Category>("POST", "/categories", { name });
    else await createWithId(id, name);
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

/** @throws Error when somebody else has created the category meanwhile: PUT would rename it */
async function createWithId(id: string, name: string): Promise<void> {
  const path = `/categories/${id}`;
  const existing = await call<Category>("GET", path).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  });
  if (existing) throw new Error(`Somebody else has created this category meanwhile. Its name is ${existing.name}.`);
  await call<Category>("PUT", path, { name });
}
