import { useContext, useState } from "preact/hooks";
import type { Operator, Operators } from "../api/answers.ts";
import { useLoaded } from "../api/loaded.ts";
import { Badge } from "../parts/badge.tsx";
import { Button } from "../parts/button.tsx";
import { Moment } from "../parts/moment.tsx";
import { Page } from "../parts/page.tsx";
import { Show } from "../parts/show.tsx";
import { SignedIn } from "../session/operator.ts";
import { CreateOperator } from "./create-operator.tsx";
import { RevokeOperator } from "./revoke-operator.tsx";

/** Who may look, and who may change. */
export function OperatorsPage() {
  const loaded = useLoaded<Operators>("/operators");
  const [isCreating, setCreating] = useState(false);
  const [leaving, setLeaving] = useState<Operator>();
  const self = useContext(SignedIn);
  return (
    <Page
      title="Operators"
      lead="A viewer may look at everything and change nothing."
      actions={
        <Button icon="add" kind="primary" onClick={() => setCreating(true)}>
          Create operator
        </Button>
      }
    >
      <Show loaded={loaded}>
        {({ operators }) => (
          <table class="cards">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Role</th>
                <th scope="col">State</th>
                <th scope="col">Created</th>
                <th scope="col">
                  <span class="unseen">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {operators.map((operator) => (
                <tr key={operator.id}>
                  <th scope="row">
                    <span>
                      {operator.name} {operator.id === self?.id && <span class="faint">(you)</span>}
                    </span>
                    <span class="faint">
                      <code>{operator.id}</code>
                    </span>
                  </th>
                  <td data-label="Role">{operator.role}</td>
                  <td class="standing">
                    {operator.revokedAt === null ? (
                      <Badge tone="good">active</Badge>
                    ) : (
                      <Badge tone="bad">revoked</Badge>
                    )}
                  </td>
                  <td data-label="Created">
                    <Moment at={operator.createdAt} />
                  </td>
                  <td class="deeds">
                    {operator.revokedAt === null && <Button onClick={() => setLeaving(operator)}>Revoke</Button>}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Show>
      {isCreating && <CreateOperator onClose={() => setCreating(false)} onDone={loaded.reload} />}
      {leaving !== undefined && (
        <RevokeOperator of={leaving} onClose={() => setLeaving(undefined)} onDone={loaded.reload} />
      )}
    </Page>
  );
}
