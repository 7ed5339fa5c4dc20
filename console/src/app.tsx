import { useEffect, useState } from "preact/hooks";
import { ApiError, call, sessionEvents } from "./api/call.ts";
import { useAction } from "./api/hooks.ts";
import type { FirstOperator, Session } from "./api/responses.ts";
import { Dialog } from "./components/dialog.tsx";
import { NewSecret } from "./components/dialogs.tsx";
import { EmptyState, ErrorMessage, Page } from "./components/page.tsx";
import { useKeptFocus } from "./focus.ts";
import { AlertsPage } from "./pages/alerts.tsx";
import { AuditPage } from "./pages/audit.tsx";
import { BackupsPage } from "./pages/backups.tsx";
import { CategoriesPage, CategoryPage } from "./pages/categories.tsx";
import { DeprecationPage } from "./pages/deprecation.tsx";
import { KeyPage } from "./pages/key.tsx";
import { KeysPage } from "./pages/keys.tsx";
import { OperatorsPage } from "./pages/operators.tsx";
import { OrderPage, OrdersPage } from "./pages/orders.tsx";
import { OverviewPage } from "./pages/overview.tsx";
import { PetPage } from "./pages/pet.tsx";
import { PetsPage } from "./pages/pets.tsx";
import { RequestPage, RequestsPage } from "./pages/requests.tsx";
import { ServicePage } from "./pages/service.tsx";
import { WebhookPage, WebhooksPage } from "./pages/webhooks.tsx";
import { useRoute } from "./route.ts";
import {
  CurrentOperator,
  FirstSignIn,
  SessionEnded,
  SignIn,
  takeProblem,
  useFirstLink,
  useOtherTabs,
} from "./session.tsx";
import { Shell } from "./shell.tsx";

type AuthState = "loading" | "signed-out" | Error | Session;

/**
 * Asks the service for the session, then shows the sign-in form or the console. The address stays the same, and so does the
 * page of an operator who signs in again after the session has ended, with an open dialog and what was typed there.
 */
export function App() {
  const [auth, setAuth] = useState<AuthState>("loading");
  const [hasEnded, setEnded] = useState(false);
  const [link, forgetLink] = useFirstLink();
  const [token, setToken] = useState<string>();
  const [problem] = useState(takeProblem);
  useKeptFocus();
  const signingOut = useAction();
  const begin = (session: Session) => {
    setAuth(session);
    setEnded(false);
    sessionEvents.dispatchEvent(new Event("began"));
  };
  useEffect(() => {
    const end = () => setEnded(true);
    sessionEvents.addEventListener("ended", end);
    call<Session>("GET", "/session").then(setAuth, (error: Error) =>
      setAuth(isSessionOver(error) ? "signed-out" : error),
    );
    return () => sessionEvents.removeEventListener("ended", end);
  }, []);
  // The operator who signed in there has this page too, from its beginning; after a sign-out it asks for a sign-in.
  const tellOtherTabs = useOtherTabs(() => call<Session>("GET", "/session").then(begin, () => {}));

  const signedIn = (session: Session) => {
    begin(session);
    tellOtherTabs();
  };
  if (link !== undefined) {
    const becomeFirst = ({ token: issued, ...session }: FirstOperator) => {
      setToken(issued);
      signedIn(session);
      forgetLink();
    };
    const giveUp = () => {
      // The refusal of the link says nothing about a session.
      setEnded(false);
      forgetLink();
    };
    return (
      <main class="sign-in">
        <FirstSignIn key={link} link={link} onSignedIn={becomeFirst} onCancel={giveUp} />
      </main>
    );
  }
  if (auth === "loading") return null;
  if (auth instanceof Error) {
    return (
      <main class="sign-in">
        <ErrorMessage error={auth} onRetry={() => location.reload()} />
      </main>
    );
  }
  if (auth === "signed-out") {
    return (
      <main class="sign-in">
        <SignIn onSignedIn={signedIn} problem={problem} />
      </main>
    );
  }
  const signOut = () =>
    signingOut.run(async () => {
      await call("DELETE", "/session").catch((error: Error) => {
        if (!isSessionOver(error)) throw new Error(`You are still signed in. ${error.message}`);
      });
      tellOtherTabs();
      if (auth.signOutUrl === null) setAuth("signed-out");
      else location.assign(auth.signOutUrl);
    });
  return (
    <CurrentOperator.Provider value={auth.operator}>
      <Router
        key={auth.operator.id}
        operator={auth.operator}
        onSignOut={signOut}
        {...(signingOut.error && { error: signingOut.error })}
      />
      {token !== undefined && (
        <Dialog title="Your token" onClose={() => setToken(undefined)} isDismissible={false}>
          <NewSecret kind="token" name={auth.operator.name} secret={token} onClose={() => setToken(undefined)} />
        </Dialog>
      )}
      {hasEnded && <SessionEnded onSignedIn={signedIn} />}
    </CurrentOperator.Provider>
  );
}

const isSessionOver = (error: Error): boolean => error instanceof ApiError && error.status === 401;

type RouterProps = {
  operator: Session["operator"];
  onSignOut: () => void;
  /** Why the operator could not be signed out. */
  error?: Error;
};

function Router({ operator, onSignOut, error }: RouterProps) {
  const { segments, parameters, notice } = useRoute();
  const [page = "overview", id] = segments;
  return (
    <Shell page={page} path={segments.join("/")} operator={operator} onSignOut={onSignOut}>
      {error !== undefined && <ErrorMessage error={error} onRetry={onSignOut} />}
      {notice !== undefined && (
        <p class="notice" role="status">
          {notice}
        </p>
      )}
      {pageFor(page, id, parameters)}
    </Shell>
  );
}

function pageFor(page: string, id: string | undefined, parameters: URLSearchParams) {
  if (page === "overview") return <OverviewPage />;
  if (page === "keys") return id === undefined ? <KeysPage parameters={parameters} /> : <KeyPage key={id} id={id} />;
  if (page === "pets") return id === undefined ? <PetsPage parameters={parameters} /> : <PetPage key={id} id={id} />;
  if (page === "categories") {
    return id === undefined ? <CategoriesPage parameters={parameters} /> : <CategoryPage key={id} id={id} />;
  }
  if (page === "orders") {
    return id === undefined ? <OrdersPage parameters={parameters} /> : <OrderPage key={id} id={id} />;
  }
  if (page === "webhooks") return id === undefined ? <WebhooksPage /> : <WebhookPage key={id} id={id} />;
  if (page === "alerts") return <AlertsPage parameters={parameters} />;
  if (page === "requests") {
    return id === undefined ? <RequestsPage parameters={parameters} /> : <RequestPage key={id} requestId={id} />;
  }
  if (page === "deprecation") return <DeprecationPage />;
  if (page === "audit") return <AuditPage parameters={parameters} />;
  if (page === "operators") return <OperatorsPage />;
  if (page === "backups") return <BackupsPage />;
  if (page === "service") return <ServicePage />;
  return (
    <Page title="Page not found">
      <EmptyState icon="search" title="This page does not exist">
        <p>
          Go to the <a href="#/overview">overview</a>.
        </p>
      </EmptyState>
    </Page>
  );
}
