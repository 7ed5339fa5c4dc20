/** A noun in the singular and in the plural. */
export type Noun = readonly [one: string, many: string];

/** A number with its noun: `1 pet`, `1,000 pets`. */
export function count(number: number, [one, many]: Noun): string {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}
