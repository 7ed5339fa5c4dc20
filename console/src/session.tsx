import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SignInProblem } from "../../src/domain/operators.ts";
import { call } from "./api/call.ts";
import { useAction } from "./api/hooks.ts";
import type { FirstOperator, Operator, Session } from "./api/responses.ts";
import { Button, Logo } from "./components/button.tsx";
import { Field } from "./components/form.tsx";
import { ErrorMessage } from "./components/page.tsx";
import { deployment, hasSingleSignOn, operatorCommand, setTitle } from "./deployment.ts";
import { useAddressChanges, useNavigationGuard } from "./route.ts";

/** The operator who is signed in. */
export const CurrentOperator = createContext<Operator | undefined>(undefined);

/** Whether the operator has the role admin. Viewers see no actions. */
export const useIsAdmin = (): boolean => useContext(CurrentOperator)?.role === "admin";

const LINK = /^#\/first\/(\w+)$/;

/** Takes the secret of a link out of the address, so that neither the history nor a bookmark keeps it. */
function takeLink(): string | undefined {
  const [, secret] = LINK.exec(location.hash) ?? [];
  if (secret !== undefined) history.replaceState(null, "", "#/overview");
  return secret;
}

/** The secret of the first sign-in link that was opened, and what forgets it. */
export function useFirstLink(): [link: string | undefined, forget: () => void] {
  const [link, setLink] = useState(takeLink);
  useAddressChanges(() => setLink((before) => takeLink() ?? before));
  return [link, () => setLink(undefined)];
}

/** What an operator does after a sign-in at the provider has failed. */
const problems: Record<SignInProblem, string> = {
  provider_unavailable:
    "The provider of single sign-on does not answer. Try again in a minute, or sign in with a token.",
  sign_in_refused: "The provider of single sign-on did not sign you in. Try again, or ask its administrators.",
  sign_in_failed:
    "The answer of the provider of single sign-on could not be verified. Try again. If it fails again, the log of the service has the reason.",
  sign_in_expired: "This sign-in took more than ten minutes, or it was begun in another tab or browser. Try again.",
  no_role: "Your account has no role in this service. Ask the administrators of single sign-on for one.",
  operator_revoked: "An admin has revoked your access to this service. An admin can create a token for you.",
  too_many_attempts: "Too many attempts from this address have failed. Wait a minute, then try again.",
  service_unavailable: "The service cannot sign you in now. Try again in a minute.",
};

const PROBLEM = /^#\/sign-in\/(\w+)$/;

/** Takes the problem of a sign-in at the provider out of the address. Returns what to do about it. */
export function takeProblem(): string | undefined {
  const [, problem] = PROBLEM.exec(location.hash) ?? [];
  if (problem === undefined) return undefined;
  history.replaceState(null, "", "#/overview");
  return Object.entries(problems).find(([name]) => name === problem)?.[1];
}

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

/**
 * Calls `update` when an operator has signed in or out in another tab: the session is that of the browser. Returns a function
 * that notifies the others of it.
 */
export function useOtherTabs(update: () => void): () => void {
  const channel = useRef<BroadcastChannel>(undefined);
  useEffect(() => {
    const opened = new BroadcastChannel("session");
    opened.onmessage = update;
    channel.current = opened;
    return () => opened.close();
  }, []);
  return () => channel.current?.postMessage(null);
}

/**
 * The way to the OpenID provider. If a page `stays` below the form, it leads there in a tab of its own, and the form asks for
 * the session when the operator returns from there.
 */
function SingleSignOn({ stays, onSignedIn }: { stays: boolean; onSignedIn: (session: Session) => void }) {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => link.current?.focus(), []);
  useEffect(() => {
    if (!stays) return;
    const look = () => document.hidden || call<Session>("GET", "/session").then(onSignedIn, () => {});
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [stays, onSignedIn]);
  return (
    <>
      <a ref={link} class="button primary" href="/admin/v1/session/oidc" {...(stays && { target: "_blank" })}>
        Sign in with single sign-on
      </a>
      <p class="or faint">or with a token</p>
    </>
  );
}

type SignInProps = {
  onSignedIn: (session: Session) => void;
  /** Why a sign-in at the provider has failed. */
  problem?: string | undefined;
  /** Whether a page stays below the form. */
  stays?: boolean;
  /** What stands above the field. */
  children?: ComponentChildren;
};

export function SignIn({ onSignedIn, problem, stays = false, children }: SignInProps) {
  const [token, setToken] = useState("");
  const action = useAction();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const { title } = document;
    setTitle("Sign in");
    if (!hasSingleSignOn) field.current?.focus();
    return () => {
      document.title = title;
    };
  }, []);
  const signIn = async () => onSignedIn(await call<Session>("POST", "/session", { token }));
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
      {problem !== undefined && <ErrorMessage error={new Error(problem)} />}
      {hasSingleSignOn && <SingleSignOn stays={stays} onSignedIn={onSignedIn} />}
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
      <Button type="submit" kind={hasSingleSignOn ? "plain" : "primary"} isPending={action.isPending}>
        Sign in
      </Button>
      <p class="hint">
        {operatorCommand === undefined ? (
          "No token yet? The program that runs this service printed one when it started."
        ) : (
          <>
            No token yet? Create one on the machine that runs the service:
            <code>{operatorCommand}</code>
          </>
        )}
      </p>
    </form>
  );
}

/** The sign-in form over the whole page, which stays as it is below. */
export function SessionEnded({ onSignedIn }: { onSignedIn: (session: Session) => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  useNavigationGuard(() => true);
  return (
    <dialog
      ref={dialog}
      class="sign-in"
      aria-label="Sign in"
      // Chromium closes a dialog on a second Escape unless the key press itself is prevented.
      onKeyDown={(event) => event.key === "Escape" && event.preventDefault()}
      onCancel={(event) => event.preventDefault()}
    >
      <SignIn onSignedIn={onSignedIn} stays>
        <p class="note" role="status">
          Your session has ended. Sign in to return to this page.
        </p>
      </SignIn>
    </dialog>
  );
}
