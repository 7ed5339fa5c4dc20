import { actionLabels } from "./action-labels.ts";
import { AuditList } from "./audit-list.tsx";

/** The changes that operators made to a pet, a category or an order. Their ids are alike, their actions differ. */
export function History({ kind, id }: { kind: "pet" | "category" | "order"; id: string }) {
  const actions = Object.keys(actionLabels).filter((action) => action.startsWith(`${kind}.`));
  return <AuditList title="Changes by operators" pageSize={10} filters={{ target: id, action: actions.join(",") }} />;
}
