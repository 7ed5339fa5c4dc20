import { addToCatalogue } from "./addToCatalogue.ts";
import { createBackup } from "./createBackup.ts";
import { createCategory } from "./createCategory.ts";
import { createFirstOperator } from "./createFirstOperator.ts";
import { createKey } from "./createKey.ts";
import { createOperator } from "./createOperator.ts";
import { deleteCategory } from "./deleteCategory.ts";
import { deletePet } from "./deletePet.ts";
import { downloadBackup } from "./downloadBackup.ts";
import { endGrace } from "./endGrace.ts";
import { endSimulation } from "./endSimulation.ts";
import { exportAuditEntries } from "./exportAuditEntries.ts";
import { exportCallers } from "./exportCallers.ts";
import { exportCatalogue } from "./exportCatalogue.ts";
import { getCategory } from "./getCategory.ts";
import { getInventory } from "./getInventory.ts";
import { getKey } from "./getKey.ts";
import { getOrder } from "./getOrder.ts";
import { getOverview } from "./getOverview.ts";
import { getPet } from "./getPet.ts";
import { getRequest } from "./getRequest.ts";
import { getSession } from "./getSession.ts";
import { getState } from "./getState.ts";
import { getUsageByPlan } from "./getUsageByPlan.ts";
import { getUsageOfAll } from "./getUsageOfAll.ts";
import { getUsageOfKey } from "./getUsageOfKey.ts";
import { importCatalogue } from "./importCatalogue.ts";
import { listAuditEntries } from "./listAuditEntries.ts";
import { listBackups } from "./listBackups.ts";
import { listCallers } from "./listCallers.ts";
import { listCatalogue } from "./listCatalogue.ts";
import { listCategories } from "./listCategories.ts";
import { listDeprecations } from "./listDeprecations.ts";
import { listKeys } from "./listKeys.ts";
import { listOperators } from "./listOperators.ts";
import { listOrders } from "./listOrders.ts";
import { listRequests } from "./listRequests.ts";
import { listTopKeys } from "./listTopKeys.ts";
import type { AdministrationOperation } from "./operation.ts";
import { placeOrder } from "./placeOrder.ts";
import { putCategory } from "./putCategory.ts";
import { resetStaging } from "./resetStaging.ts";
import { revokeKey } from "./revokeKey.ts";
import { revokeOperator } from "./revokeOperator.ts";
import { rotateKey } from "./rotateKey.ts";
import { signIn } from "./signIn.ts";
import { signOut } from "./signOut.ts";
import { simulateKey } from "./simulateKey.ts";
import { unbanKey } from "./unbanKey.ts";
import { updateKey } from "./updateKey.ts";
import { updateOrder } from "./updateOrder.ts";
import { updatePet } from "./updatePet.ts";
import { verifyBackup } from "./verifyBackup.ts";

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
  endGrace,
  revokeKey,
  unbanKey,
  simulateKey,
  endSimulation,
  listCatalogue,
  addToCatalogue,
  exportCatalogue,
  importCatalogue,
  getPet,
  updatePet,
  deletePet,
  getInventory,
  listCategories,
  createCategory,
  getCategory,
  putCategory,
  deleteCategory,
  listOrders,
  placeOrder,
  getOrder,
  updateOrder,
  listOperators,
  createOperator,
  createFirstOperator,
  revokeOperator,
  getOverview,
  getUsageOfAll,
  getUsageByPlan,
  listTopKeys,
  getUsageOfKey,
  listRequests,
  getRequest,
  listDeprecations,
  listCallers,
  exportCallers,
  listAuditEntries,
  exportAuditEntries,
  getState,
  resetStaging,
  listBackups,
  createBackup,
  verifyBackup,
  downloadBackup,
];
