import type { Pet } from "../api/responses.ts";
import { CategoryField } from "../categories/category-field.tsx";
import { SelectField, TextField } from "../components/form.tsx";
import { statuses } from "./labels.ts";
import type { PetInput } from "./pet-input.ts";

type PetFieldsProps = {
  input: PetInput;
  /** The statuses to choose from; all if they are left out. */
  allowed?: readonly Pet["status"][];
  onInput: (changed: Partial<PetInput>) => void;
};

export function PetFields({ input, allowed, onInput }: PetFieldsProps) {
  return (
    <>
      <TextField label="Name" name="name" value={input.name} onInput={(name) => onInput({ name })} />
      <CategoryField value={input.categoryId} onInput={(categoryId) => onInput({ categoryId })} />
      <SelectField<Pet["status"]>
        label="Status"
        value={input.status}
        options={statuses.filter(([status]) => allowed === undefined || allowed.includes(status))}
        onChange={(status) => onInput({ status })}
      />
    </>
  );
}
