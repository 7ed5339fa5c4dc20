import { InvalidArgumentError } from "commander";
import { CATEGORY_NAME_RULE, isCategoryName } from "../../domain/categories/category.ts";
import { parseCategoryId } from "../options.ts";

export const ID_ARGUMENT = ["<id>", "the category's id: `petstore categories list` shows it", parseCategoryId] as const;

/** Parses the name of a category. @throws InvalidArgumentError */
export function parseName(text: string): string {
  if (isCategoryName(text)) return text;
  throw new InvalidArgumentError(`It must be ${CATEGORY_NAME_RULE}.`);
}
