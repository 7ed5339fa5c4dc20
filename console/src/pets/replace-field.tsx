/** What an import does with a line that has the id of a pet. `status`: also if a delivered order has sold the pet. */
export type Replacement = { pets: boolean; status: boolean };

type ReplaceFieldProps = { value: Replacement; isDisabled: boolean; onChange: (value: Replacement) => void };

export function ReplaceField({ value: { pets, status }, isDisabled, onChange }: ReplaceFieldProps) {
  return (
    <fieldset class="checks" disabled={isDisabled}>
      <legend>Lines that have an id</legend>
      <label>
        <input type="checkbox" checked={pets} onChange={() => onChange({ pets: !pets, status: false })} />
        <span>Change the pet with this id instead of adding one</span>
      </label>
      {pets && (
        <>
          <label>
            <input type="checkbox" checked={status} onChange={() => onChange({ pets, status: !status })} />
            <span>Also change the status of pets that a delivered order has sold</span>
          </label>
          <p class="note" role="status">
            {status
              ? "A file that is older than an order puts the pet that was delivered back on sale."
              : "A file with an older status puts sold pets back on sale, except those that a delivered order has sold."}
          </p>
        </>
      )}
    </fieldset>
  );
}
