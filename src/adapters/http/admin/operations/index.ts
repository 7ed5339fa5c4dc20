import { deleteCategory, getCategory, putCategory } from "../../operations/categories.ts";
import { getOrder, placeOrder, updateOrder } from "../../operations/orders.ts";
import { deletePet, getPet, updatePet } from "../../operations/pets.ts";
import { acknowledgeAlert, listAlerts } from "./alerts.ts";
import { exportAuditEntries, listAuditEntries } from "./audit.ts";
import {
  createBackup,
  deleteBackup,
  downloadBackup,
  listBackups,
  restoreBackup,
  uploadBackup,
  verifyBackup,
} from "./backups.ts";
import { createCategory, listCategories } from "./categories.ts";
import { exportCallers, listCallers, listDeprecations } from "./deprecations.ts";
import { listEvents } from "./events.ts";
import { keyOperations } from "./keys.ts";
import { type AdministrationOperation, secondDoor } from "./operation.ts";
import {
  createFirstOperator,
  createOperator,
  getSession,
  listOperators,
  revokeOperator,
  signIn,
  signOut,
} from "./operators.ts";
import { listOrders } from "./orders.ts";
import { addToCatalogue, exportCatalogue, getInventory, importCatalogue, listCatalogue } from "./pets.ts";
import { getRequest, listRequests } from "./requests.ts";
import { getSettings, getState, resetStaging } from "./service.ts";
import { beginSingleSignOn, finishSingleSignOn } from "./single-sign-on.ts";
import { getOverview, getUsageByPlan, getUsageOfAll, getUsageOfKey, listTopKeys } from "./usage.ts";
import { webhookOperations } from "./webhooks.ts";

export const operations: readonly AdministrationOperation[] = [
  signIn,
  getSession,
  signOut,
  beginSingleSignOn,
  finishSingleSignOn,
  ...keyOperations,
  listCatalogue,
  addToCatalogue,
  exportCatalogue,
  importCatalogue,
  secondDoor(getPet),
  secondDoor(updatePet),
  secondDoor(deletePet),
  getInventory,
  listCategories,
  createCategory,
  secondDoor(getCategory),
  secondDoor(putCategory),
  secondDoor(deleteCategory),
  listOrders,
  secondDoor(placeOrder),
  secondDoor(getOrder),
  secondDoor(updateOrder),
  listEvents,
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
  ...webhookOperations,
  listAlerts,
  acknowledgeAlert,
  getState,
  getSettings,
  resetStaging,
  listBackups,
  createBackup,
  verifyBackup,
  downloadBackup,
  uploadBackup,
  restoreBackup,
  deleteBackup,
];
