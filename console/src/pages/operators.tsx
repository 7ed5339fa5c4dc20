import { useContext, useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { useAction, useFetch } from "../api/hooks.ts";
import type { IssuedOperator, Operator, Operators, Role } from "../api/responses.ts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { NewSecret } from "../components/dialogs.tsx";
import { Form, SelectField, TextField } from "../components/form.tsx";
import { AsyncContent, EmptyState, Page } from "../components/page.tsx";
import { TableHead } from "../components/table.tsx";
import { Badge, Timestamp } from "../components/values.tsx";
import { CurrentOperator, useIsAdmin } from "../session.tsx";

const roles = [
  ["viewer", "Viewer: read only"],
  ["admin", "Admin: full access"],
] as const;

function CreateOperator({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const [created, setCreated] = useState<IssuedOperator>();
  const action = useAction();
  const create = async () => {
    setCreated(await call<IssuedOperator>("POST", "/operators", { name, role }));
    onDone();
  };
  if (created !== undefined) {
    return (
      <Dialog title="Operator created" onClose={onClose} isDismissible={false}>
        <NewSecret kind="token" name={created.operator.name} secret={created.token} onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title="Create operator" onClose={onClose}>
      <Form action={action} submitLabel="Create operator" onSubmit={create}>
        <TextField label="Name" name="name" value={name} onInput={setName} />
        <SelectField label="Role" value={role} options={roles} onChange={setRole} />
      </Form>
    </Dialog>
  );
}

type RevokeOperatorProps = { of: Operator; onClose: () => void; onDone: () => void };

function RevokeOperator({ of: operator, onClose, onDone }: RevokeOperatorProps) {
  const action = useAction();
  const revoke = async () => {
    await call<Operator>("POST", `/operators/${operator.id}/revoke`);
    onDone();
    onClose();
  };
  return (
    <Dialog title={`Revoke ${operator.name}?`} onClose={onClose}>
      <Form action={action} submitLabel={`Revoke ${operator.name}`} isDangerous onSubmit={revoke}>
        <p>
          {operator.provider === null ? "The token of this operator" : "Single sign-on of this operator"} is refused,
          and all their sessions end, within a second. <strong>This cannot be undone.</strong>
        </p>
      </Form>
    </Dialog>
  );
}

export function OperatorsPage() {
  if (useIsAdmin()) return <OperatorList />;
  return (
    <Page title="Operators">
      <EmptyState icon="operators" title="Only admins see the operators" />
    </Page>
  );
}

function OperatorList() {
  const fetched = useFetch<Operators>("/operators");
  const [isCreating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<Operator>();
  const self = useContext(CurrentOperator);
  return (
    <Page
      title="Operators"
      description="Viewers can see everything except operators and backups. Admins can also make changes."
      actions={
        <Button icon="add" kind="primary" onClick={() => setCreating(true)}>
          Create operator
        </Button>
      }
    >
      <AsyncContent fetched={fetched}>
        {({ operators }) => (
          <table class="cards">
            <TableHead columns={["Name", "Role", "State", "Created", { title: "Actions", isHidden: true }]} />
            <tbody>
              {operators.map((operator) => (
                <tr key={operator.id}>
                  <th scope="row">
                    <span>
                      {operator.name} {operator.id === self?.id && <span class="faint">(you)</span>}
                    </span>
                    <span class="faint">
                      <code>{operator.id}</code>
                      {operator.provider !== null && ` from ${operator.provider}`}
                    </span>
                  </th>
                  <td data-label="Role">{operator.role}</td>
                  <td class="status">
                    {operator.revokedAt === null ? (
                      <Badge tone="good">active</Badge>
                    ) : (
                      <Badge tone="bad">revoked</Badge>
                    )}
                  </td>
                  <td data-label="Created">
                    <Timestamp at={operator.createdAt} />
                  </td>
                  <td class="row-actions">
                    {operator.revokedAt === null && !isOnlyAdmin(operator, operators) && (
                      <Button onClick={() => setRevoking(operator)}>Revoke</Button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </AsyncContent>
      {isCreating && <CreateOperator onClose={() => setCreating(false)} onDone={fetched.reload} />}
      {revoking !== undefined && (
        <RevokeOperator of={revoking} onClose={() => setRevoking(undefined)} onDone={fetched.reload} />
      )}
    </Page>
  );
}

/** Whether the operator is the only admin left, whom the service does not revoke. */
function isOnlyAdmin({ role }: Operator, operators: Operator[]): boolean {
  const admins = operators.filter((one) => one.role === "admin" && one.revokedAt === null);
  return role === "admin" && admins.length === 1;
}
