type Column = { title: string; isNumeric?: boolean; isHidden?: boolean };

/** The head of a table. A column that is only a title contains texts; `false` is left out. */
export function TableHead({ columns }: { columns: readonly (string | Column | false)[] }) {
  return (
    <thead>
      <tr>
        {columns
          .filter((column) => column !== false)
          .map((column) => (typeof column === "string" ? { title: column } : column))
          .map(({ title, isNumeric = false, isHidden = false }: Column) => (
            <th key={title} scope="col" class={isNumeric ? "number" : undefined}>
              {isHidden ? <span class="visually-hidden">{title}</span> : title}
            </th>
          ))}
      </tr>
    </thead>
  );
}
