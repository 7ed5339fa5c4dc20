import { useState } from "preact/hooks";
import { useAction } from "../api/action.ts";
import { call } from "../api/call.ts";
import type { Pet } from "../api/responses.ts";
import { Dialog } from "../components/dialog.tsx";
import { SelectField, TextField } from "../components/field.tsx";
import { Form } from "../components/form.tsx";
import type { PetDialogProps } from "./pet-dialog.ts";

const statuses = [
  ["available", "Available"],
  ["pending", "Pending"],
  ["sold", "Sold"],
] as const;

export function CreatePet({ onClose, onDone }: PetDialogProps) {
  const [name, setName] = useState("");
  const [categoryId, setCategoryId] = useState("");
  const [status, setStatus] = useState<Pet["status"]>("available");
  const action = useAction();
  const create = async () => {
    // The digits of the category as typed: a JavaScript number cannot hold every int64.
    const body = `{"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
    await call<Pet>("POST", "/pets", body);
    onDone();
    onClose();
  };
  return (
    <Dialog title="Add pet" onClose={onClose}>
      <Form action={action} submitLabel="Add pet" onSubmit={create}>
        <TextField label="Name" name="name" value={name} onInput={setName} />
        <TextField
          label="Category id"
          name="categoryId"
          inputMode="numeric"
          pattern="-?(0|[1-9][0-9]{0,18})"
          value={categoryId}
          onInput={setCategoryId}
          hint="A 64-bit integer."
        />
        <SelectField label="Status" value={status} options={statuses} onChange={setStatus} />
      </Form>
    </Dialog>
  );
}
