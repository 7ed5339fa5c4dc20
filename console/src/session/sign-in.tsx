import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useAction } from "../api/action.ts";
import { call } from "../api/call.ts";
import type { Session } from "../api/responses.ts";
import { Button } from "../components/button.tsx";
import { ErrorMessage } from "../components/error-message.tsx";
import { Field } from "../components/field.tsx";
import { Logo } from "../components/logo.tsx";
import { command, deployment, setTitle } from "../deployment.ts";

type SignInProps = {
  onSignedIn: (session: Session) => void;
  /** What stands above the field. */
  children?: ComponentChildren;
};

export function SignIn({ onSignedIn, children }: SignInProps) {
  const [token, setToken] = useState("");
  const action = useAction();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const { title } = document;
    setTitle("Sign in");
    field.current?.focus();
    return () => {
      document.title = title;
    };
  }, []);
  const signIn = async () => onSignedIn(await call<Session>("POST", "/session", { token: token.trim() }));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        action.run(signIn);
      }}
    >
      <Logo deployment={deployment} />
      <h1>Sign in</h1>
      {children}
      <Field label="Operator token">
        {(id) => (
          <input
            id={id}
            type="password"
            name="token"
            autocomplete="current-password"
            placeholder="pets_oper_…"
            spellcheck={false}
            required
            aria-invalid={action.error !== undefined}
            ref={field}
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        )}
      </Field>
      {action.error !== undefined && <ErrorMessage error={action.error} />}
      <Button type="submit" kind="primary" isPending={action.isPending}>
        Sign in
      </Button>
      <p class="hint">
        No token yet? Create one on the machine that runs the service:
        <code>{command} operators create --name "You" --role admin</code>
      </p>
    </form>
  );
}
