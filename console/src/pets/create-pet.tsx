import { useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { useAction } from "../api/hooks.ts";
import type { Pet } from "../api/responses.ts";
import { Dialog } from "../components/dialog.tsx";
import { Form } from "../components/form.tsx";
import type { CatalogueDialogProps } from "./catalogue-dialog.ts";
import { PetFields } from "./pet-fields.tsx";
import { jsonOf, type PetInput } from "./pet-input.ts";

export function CreatePet({ onClose, onDone }: CatalogueDialogProps) {
  const [input, setInput] = useState<PetInput>({ name: "", categoryId: "", status: "available" });
  const action = useAction();
  const create = async () => {
    onDone(await call<Pet>("POST", "/pets", jsonOf(input)));
    onClose();
  };
  return (
    <Dialog title="Add pet" onClose={onClose}>
      <Form action={action} submitLabel="Add pet" onSubmit={create}>
        <PetFields input={input} onInput={(changed) => setInput({ ...input, ...changed })} />
      </Form>
    </Dialog>
  );
}
