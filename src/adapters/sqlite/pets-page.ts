import { PetStatus } from "../../domain/pets/pet.ts";

/** All columns except the status: in a page of one status it is known, and reading it takes longer than finding the pet. */
const COLUMNS = "id, name, category_id, version";
const WITH_STATUS = `${COLUMNS}, status`;

export const PET_BY_ID = `SELECT ${WITH_STATUS} FROM pets NOT INDEXED WHERE id = ?`;

/** A filter: the column has the value of the parameter with its name, or, for the id, one of those in a JSON array. */
export type FilteredColumn = "id" | "name_key" | "category_id" | "status";

/** How many pets for each of a page of one status are read in search of it, before the blocks of that status are. */
const NEARBY = 12;

/**
 * The statements of a page of pets, whose parameters are the filtered columns, `after` and `limit`. The last one finds the
 * whole page. One before it is faster, and finds it if it finds as many pets as the page holds.
 */
export function pageTexts(columns: FilteredColumn[], isDescending: boolean): [...string[], string] {
  const [first, second] = columns;
  const conditions = columns.map((column) =>
    column === "id" ? "id IN (SELECT value FROM json_each(:id))" : `${column} = :${column}`,
  );
  const [follows, direction] = isDescending ? ["<", "DESC"] : [">", "ASC"];
  const where = [...conditions, `id ${follows} :after`].join(" AND ");
  const page = `ORDER BY id ${direction} LIMIT :limit`;
  if (first === "status") {
    const nearby = isDescending ? `id >= :after - ${NEARBY} * :limit` : `id <= :after + ${NEARBY} * :limit`;
    // Each block of the status has such a pet: the page reads at most as many blocks as it has pets.
    const blocks = `pet_status = :status AND block ${follows}= :after >> 5 AND id BETWEEN block << 5 AND block << 5 | 31`;
    return [
      `${select(COLUMNS, "NOT INDEXED", `${where} AND ${nearby}`)} ${page}`,
      `SELECT ${COLUMNS} FROM pet_blocks CROSS JOIN pets NOT INDEXED WHERE ${blocks} AND ${where}
         ORDER BY block ${direction}, id ${direction} LIMIT :limit`,
    ];
  }
  if (first === "category_id" && second === undefined) {
    // Within a category the index is in order for each status: SQLite merges the three.
    const parts = PetStatus.options.map((status) =>
      select(`${COLUMNS}, '${status}' AS status`, "INDEXED BY pets_by_category", `${where} AND status = '${status}'`),
    );
    return [`${parts.join(" UNION ALL ")} ${page}`];
  }
  // Without statistics SQLite may prefer another index, which finds more pets.
  return [`${select(columns.includes("status") ? COLUMNS : WITH_STATUS, indexFor(first), where)} ${page}`];
}

function indexFor(first: FilteredColumn | undefined): string {
  if (first === "name_key") return "INDEXED BY pets_by_name";
  return first === "category_id" ? "INDEXED BY pets_by_category" : "NOT INDEXED";
}

function select(columns: string, index: string, where: string): string {
  return `SELECT ${columns} FROM pets ${index} WHERE ${where}`;
}
