import { call } from "../api/call.ts";
import { useAction } from "../api/hooks.ts";
import type { Operator } from "../api/responses.ts";
import { Dialog } from "../components/dialog.tsx";
import { Form } from "../components/form.tsx";

type RevokeOperatorProps = { of: Operator; onClose: () => void; onDone: () => void };

export function RevokeOperator({ of: operator, onClose, onDone }: RevokeOperatorProps) {
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
          The token of this operator is refused, and all their sessions end, within a second.{" "}
          <strong>This cannot be undone.</strong>
        </p>
      </Form>
    </Dialog>
  );
}
