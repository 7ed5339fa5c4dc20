import { usePagination } from "../components/table.tsx";
import { actionLabels } from "./action-labels.ts";
import { AuditList } from "./audit-list.tsx";

/** The changes that operators made to a key, pet, category or order. Their ids may be alike, their actions differ. */
export function History({ kind, id }: { kind: "key" | "pet" | "category" | "order"; id: string }) {
  const actions = Object.keys(actionLabels).filter((action) => action.startsWith(`${kind}.`));
  const filters = { target: id, action: actions.join(",") };
  return <AuditList title="Changes by operators" pageSize={10} pagination={usePagination()} filters={filters} />;
}
