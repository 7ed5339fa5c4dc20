import type { AdministrationOperation } from "./operation.ts";
import { addToCatalogue } from "./operations/addToCatalogue.ts";
import { createKey } from "./operations/createKey.ts";
import { createOperator } from "./operations/createOperator.ts";
import { exportCatalogue } from "./operations/exportCatalogue.ts";
import { getKey } from "./operations/getKey.ts";
import { getOverview } from "./operations/getOverview.ts";
import { getSession } from "./operations/getSession.ts";
import { getState } from "./operations/getState.ts";
import { getUsageOfAll } from "./operations/getUsageOfAll.ts";
import { getUsageOfKey } from "./operations/getUsageOfKey.ts";
import { importCatalogue } from "./operations/importCatalogue.ts";
import { listAuditEntries } from "./operations/listAuditEntries.ts";
import { listCatalogue } from "./operations/listCatalogue.ts";
import { listDeprecations } from "./operations/listDeprecations.ts";
import { listKeys } from "./operations/listKeys.ts";
import { listOperators } from "./operations/listOperators.ts";
import { revokeKey } from "./operations/revokeKey.ts";
import { revokeOperator } from "./operations/revokeOperator.ts";
import { rotateKey } from "./operations/rotateKey.ts";
import { signIn } from "./operations/signIn.ts";
import { signOut } from "./operations/signOut.ts";
import { unbanKey } from "./operations/unbanKey.ts";
import { updateKey } from "./operations/updateKey.ts";

/** The operations of the administration interface, in the order of its document. */
export const operations: readonly AdministrationOperation[] = [
  signIn,
  getSession,
  signOut,
  listKeys,
  createKey,
  getKey,
  updateKey,
  rotateKey,
  revokeKey,
  unbanKey,
  listCatalogue,
  addToCatalogue,
  exportCatalogue,
  importCatalogue,
  listOperators,
  createOperator,
  revokeOperator,
  getOverview,
  getUsageOfAll,
  getUsageOfKey,
  listDeprecations,
  listAuditEntries,
  getState,
];
