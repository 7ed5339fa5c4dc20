import { useEffect, useState } from "preact/hooks";
import { useAction } from "../api/action.ts";
import type { Session } from "../api/answers.ts";
import { call } from "../api/call.ts";
import { Button } from "../parts/button.tsx";
import { Failure } from "../parts/failure.tsx";
import { Field } from "../parts/field.tsx";
import { Mark } from "../parts/mark.tsx";

type SignInProps = { hasEnded: boolean; onSignedIn: (session: Session) => void };

/** Where a session starts, and where one that ended is taken up again: the address keeps the place. */
export function SignIn({ hasEnded, onSignedIn }: SignInProps) {
  const [token, setToken] = useState("");
  const action = useAction();
  useEffect(() => {
    document.title = "Sign in · Petstore console";
  }, []);
  const signIn = async () => onSignedIn(await call<Session>("POST", "/session", { token: token.trim() }));
  return (
    <main class="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          action.run(signIn);
        }}
      >
        <Mark />
        <h1>Sign in</h1>
        {hasEnded && <p class="note">Your session has ended. Sign in to go on where you were.</p>}
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
              autofocus
              value={token}
              onInput={(event) => setToken(event.currentTarget.value)}
            />
          )}
        </Field>
        {action.error !== undefined && <Failure error={action.error} />}
        <Button type="submit" kind="primary" isBusy={action.isBusy}>
          Sign in
        </Button>
        <p class="hint">
          No token yet? On the machine that runs the service:
          <code>npx petstore operators create --name "You" --role admin</code>
        </p>
      </form>
    </main>
  );
}
