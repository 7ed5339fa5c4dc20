import { useState } from "preact/hooks";
import { useAction } from "../api/action.ts";
import type { Pet } from "../api/answers.ts";
import { call } from "../api/call.ts";
import { Dialog } from "../parts/dialog.tsx";
import { SelectField, TextField } from "../parts/field.tsx";
import { Form } from "../parts/form.tsx";

/** What each dialog of the catalogue is given. `status` is what the list is filtered by. */
export type DialogProps = { status: string; onClose: () => void; onDone: () => void };

const statuses = [
  ["available", "Available"],
  ["pending", "Pending"],
  ["sold", "Sold"],
] as const;

export function CreatePet({ onClose, onDone }: DialogProps) {
  const [name, setName] = useState("");
  const [categoryId, setCategoryId] = useState("");
  const [status, setStatus] = useState<Pet["status"]>("available");
  const action = useAction();
  const create = async () => {
    // The category's digits as they were typed: an int64 may be more than a number of JavaScript's can hold.
    const body = `{"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
    await call<Pet>("POST", "/pets", body);
    onDone();
    onClose();
  };
  return (
    <Dialog title="Add a pet" onClose={onClose}>
      <Form action={action} verb="Add pet" onSubmit={create} onCancel={onClose}>
        <TextField label="Name" value={name} onInput={setName} maxLength={255} />
        <TextField
          label="Category"
          inputMode="numeric"
          pattern="-?(0|[1-9][0-9]{0,18})"
          value={categoryId}
          onInput={setCategoryId}
          hint="The category’s number."
        />
        <SelectField label="Status" value={status} options={statuses} onChoose={setStatus} />
      </Form>
    </Dialog>
  );
}
