import type { KeyFilter } from "../../domain/keys/listing.ts";
import { both, type Conditions } from "./conditions.ts";
import { conditionsOf, POSSIBLY_INACTIVE } from "./key-filter.ts";
import type { Order } from "./key-order.ts";

/** The indexes that contain what filters compare, for the orders and filters that read each. */
export type ScannedTables = {
  byAge: string;
  byOwner: string;
  byOwnerName: string;
  rehearsing: string;
  /** The keys of POSSIBLY_INACTIVE: an index without texts. */
  possiblyInactive: string;
  possiblyInactiveByOwner: string;
  possiblyInactiveByOwnerName: string;
};

/** An index of a state is faster for that state alone. Few keys have a simulation. */
export function tableFor(filter: KeyFilter, order: Order, scanned: ScannedTables): string {
  const { owner, plan, search, isRehearsing } = filter;
  const { byAge, byOwner, byOwnerName, rehearsing, possiblyInactive, possiblyInactiveByOwner } = scanned;
  if (isRehearsing) return rehearsing;
  if (isPossiblyInactive(filter) && owner === undefined) {
    if (order === "owner") return possiblyInactiveByOwner;
    if (plan !== undefined) return possiblyInactive;
  }
  if (order === "owner" || owner?.email !== undefined) return byOwner;
  if (owner !== undefined) return isPossiblyInactive(filter) ? scanned.possiblyInactiveByOwnerName : byOwnerName;
  return plan === undefined && search === undefined ? "petstore.keys" : byAge;
}

/** The conditions of a filter by owner or simulation alone, and of its index: other keys are in no slice. */
export function slicedBy(filter: KeyFilter): Conditions {
  const { owner, isRehearsing } = filter;
  const selected = conditionsOf({ owner, isRehearsing }, 0);
  return isPossiblyInactive(filter) ? both(selected, { texts: [POSSIBLY_INACTIVE], values: {} }) : selected;
}

/** Whether only keys of POSSIBLY_INACTIVE can match, and the filter compares no text. */
function isPossiblyInactive({ search, state }: KeyFilter): boolean {
  return search === undefined && state !== undefined && !state.includes("active");
}
