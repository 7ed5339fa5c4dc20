import { PetstoreError } from "../../domain/errors.ts";
import { among } from "./page-query.ts";
import type { Statement, Transaction } from "./sql.ts";

/** Whether a category exists. It then does until the transaction ends. */
export function* categoryExists(id: bigint): Transaction<boolean> {
  const rows = yield { text: "SELECT id FROM petstore.categories WHERE id = :id FOR SHARE", values: { id } };
  return rows.length > 0;
}

/** Returns the statement that selects those of these categories that exist. They then do until the transaction ends. */
export function selectCategories(ids: readonly bigint[]): Statement {
  const { text, values } = among(ids);
  return { text: `SELECT id FROM petstore.categories WHERE ${text} FOR SHARE`, values };
}

/** The refusal of a pet that would get a category that does not exist. */
export function unknownCategory(): PetstoreError {
  const problem = "must be the id of a category";
  return new PetstoreError("validation_failed", {
    message: `categoryId ${problem}.`,
    details: [{ in: "body", field: "categoryId", problem }],
  });
}
