/** The statement that counts the pets of the expression `added` in the inventory. `shard` is the parameter that chooses a row. */
export function countAdded(shard: string): string {
  const plus = (status: string) => `${status} = ${status} + (SELECT count(*) FROM added WHERE status = '${status}')`;
  return `UPDATE petstore.inventory SET ${plus("available")}, ${plus("pending")}, ${plus("sold")}
    WHERE shard = ${shard} AND EXISTS (SELECT 1 FROM added)`;
}
