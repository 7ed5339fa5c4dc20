import { useAction } from "../api/action.ts";
import type { Operator } from "../api/answers.ts";
import { call } from "../api/call.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Form } from "../parts/form.tsx";

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
      <Form action={action} verb={`Revoke ${operator.name}`} isDangerous onSubmit={revoke} onCancel={onClose}>
        <p>
          Their token and every session of theirs end within a second. <strong>It cannot be undone.</strong>
        </p>
      </Form>
    </Dialog>
  );
}
