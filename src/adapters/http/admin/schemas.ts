// The schemas of the responses, from which the console takes its types.
export { Backups } from "./backup.ts";
export { IssuedKey, Key } from "./key.ts";
export { FirstOperator } from "./operations/createFirstOperator.ts";
export { IssuedOperator } from "./operations/createOperator.ts";
export { Overview } from "./operations/getOverview.ts";
export { AuditEntries } from "./operations/listAuditEntries.ts";
export { Callers } from "./operations/listCallers.ts";
export { PetPage } from "./operations/listCatalogue.ts";
export { CategoryPage } from "./operations/listCategories.ts";
export { Deprecations } from "./operations/listDeprecations.ts";
export { Keys } from "./operations/listKeys.ts";
export { Operators } from "./operations/listOperators.ts";
export { OrderPage } from "./operations/listOrders.ts";
export { Operator } from "./operator.ts";
export { Session } from "./session.ts";
export { ShopContents } from "./shop.ts";
export { State } from "./state.ts";
export { Point, UsageSeries } from "./usage.ts";
