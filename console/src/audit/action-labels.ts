import { isObject } from "../../../src/domain/audit.ts";
import type { AuditEntry } from "../api/responses.ts";

/** What the author of an entry did. */
export const actionLabels: Record<AuditEntry["action"], string> = {
  "key.create": "created the key",
  "key.update": "changed the key",
  "key.rotate": "rotated the key",
  "key.grace.end": "ended the grace period of the key",
  "key.disable": "disabled the key",
  "key.enable": "enabled the key",
  "key.revoke": "revoked the key",
  "key.unban": "unbanned the key",
  "key.simulate": "started a rehearsal of the key",
  "key.simulation.end": "ended the rehearsal of the key",
  "pet.create": "added the pet",
  "pet.update": "changed the pet",
  "pet.delete": "removed the pet",
  "pets.import.begin": "started an import of pets",
  "pets.import.batch": "added pets in an import",
  "pets.import.end": "finished an import of pets",
  "category.create": "created the category",
  "category.update": "renamed the category",
  "category.delete": "removed the category",
  "order.place": "placed the order",
  "order.update": "changed the order",
  "shop.replace": "replaced all pets, categories and orders",
  "backup.create": "began a backup",
  "backup.verify": "began to verify the backup",
  "backup.download": "downloaded the backup",
  "operator.create": "created the operator",
  "operator.revoke": "revoked the operator",
  "session.create": "signed in",
  "session.fail": "failed to sign in",
  "session.end": "signed out",
};

/** The same, in more detail: an order is approved, delivered or cancelled. */
export function labelOf({ action, after }: AuditEntry): string {
  return action === "order.update" && isObject(after) ? `${after.status} the order` : actionLabels[action];
}
