import { useId } from "preact/hooks";
import { useFetch } from "../api/hooks.ts";
import type { Categories } from "../api/responses.ts";
import { TextField } from "../components/form.tsx";

/** The id of a category, with the first categories as suggestions. */
export function CategoryField({ value, onInput }: { value: string; onInput: (value: string) => void }) {
  const list = useId();
  const { value: page } = useFetch<Categories>("/categories?limit=100");
  return (
    <>
      <TextField
        label="Category id"
        name="categoryId"
        inputMode="numeric"
        pattern="-?(0|[1-9][0-9]{0,18})"
        list={list}
        value={value}
        onInput={onInput}
        hint="A 64-bit integer."
      />
      <datalist id={list}>
        {page?.categories.map(({ id, name }) => (
          <option key={id} value={String(id)} label={name} />
        ))}
      </datalist>
    </>
  );
}
