import { useEffect, useRef, useState } from "preact/hooks";
import { useAction } from "../api/action.ts";
import { call } from "../api/call.ts";
import type { FirstOperator } from "../api/responses.ts";
import { Button } from "../components/button.tsx";
import { ErrorMessage } from "../components/error-message.tsx";
import { Field } from "../components/field.tsx";
import { Logo } from "../components/logo.tsx";
import { deployment, setTitle } from "../deployment.ts";

type FirstSignInProps = {
  /** The secret of the link that the first start has printed. */
  link: string;
  onSignedIn: (first: FirstOperator) => void;
  onCancel: () => void;
};

/** Creates the first operator of the service. Nothing is sent before the operator says so: the link works once. */
export function FirstSignIn({ link, onSignedIn, onCancel }: FirstSignInProps) {
  const [name, setName] = useState("");
  const action = useAction();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    setTitle("First admin");
    field.current?.focus();
  }, []);
  const create = async () => onSignedIn(await call<FirstOperator>("POST", "/operators/first", { link, name }));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        action.run(create);
      }}
    >
      <Logo deployment={deployment} />
      <h1>Become the first admin</h1>
      <p>This link signs you in once. You also get a token of your own, for the next time.</p>
      <Field label="Your name" hint="The audit log names you with each change.">
        {(id, describedBy) => (
          <input
            id={id}
            type="text"
            autocomplete="name"
            required
            maxLength={100}
            aria-describedby={describedBy}
            aria-invalid={action.error !== undefined}
            ref={field}
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        )}
      </Field>
      {action.error !== undefined && <ErrorMessage error={action.error} />}
      <Button type="submit" kind="primary" isPending={action.isPending}>
        Sign in
      </Button>
      {action.error !== undefined && <Button onClick={onCancel}>Sign in with a token</Button>}
    </form>
  );
}
