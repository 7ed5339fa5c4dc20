/** A statement of `Sql`. A file is one schema, and one transaction at a time writes it: neither is named, no row is locked. */
export function sqlite(text: string): string {
  return text.replaceAll("petstore.", "").replace(/ FOR (UPDATE|SHARE)( SKIP LOCKED)?/g, "");
}

/**
 * The statement in a form that SQLite compiles once. It compiles a statement again in each run with other values if its plan
 * may depend on them (sqlite.org/c3ref/prepare.html), as it may on the limit of a page: that took a third of the time of
 * a page. A unary plus leaves a value as it is, and hides the parameter from the planner.
 */
export function compiledOnce(sql: string): string {
  return sql.replace(/'[^']*'|[:?]\w*/g, (token) => (token.startsWith("'") ? token : `+${token}`));
}
