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
  "pet.create": "added the pet",
  "pets.import.begin": "started an import of pets",
  "pets.import.batch": "added pets in an import",
  "pets.import.end": "finished an import of pets",
  "operator.create": "created the operator",
  "operator.revoke": "revoked the operator",
  "session.create": "signed in",
  "session.fail": "failed to sign in",
  "session.end": "signed out",
};
