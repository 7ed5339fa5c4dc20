import { useEffect, useState } from "preact/hooks";
import type { Session } from "./api/answers.ts";
import { call, Refusal, sessionEnd } from "./api/call.ts";
import { AuditPage } from "./audit/audit-page.tsx";
import { DeprecationPage } from "./deprecation/deprecation-page.tsx";
import { KeyPage } from "./keys/key-page.tsx";
import { KeysPage } from "./keys/keys-page.tsx";
import { OperatorsPage } from "./operators/operators-page.tsx";
import { OverviewPage } from "./overview/overview-page.tsx";
import { Empty } from "./parts/empty.tsx";
import { Failure } from "./parts/failure.tsx";
import { Page } from "./parts/page.tsx";
import { PetsPage } from "./pets/pets-page.tsx";
import { useRoute } from "./route.ts";
import { ServicePage } from "./service/service-page.tsx";
import { SignedIn } from "./session/operator.ts";
import { SignIn } from "./session/sign-in.tsx";
import { Shell } from "./shell.tsx";

/** Whether somebody is signed in is asked first; a session that ends leaves the address as it is. */
type Standing = "asking" | "stranger" | "ended" | Error | Session;

export function App() {
  const [standing, setStanding] = useState<Standing>("asking");
  useEffect(() => {
    const ask = () =>
      call<Session>("GET", "/session").then(setStanding, (error: Error) =>
        setStanding(error instanceof Refusal && error.status === 401 ? "stranger" : error),
      );
    const end = () => setStanding((before) => (typeof before === "string" ? "stranger" : "ended"));
    sessionEnd.addEventListener("ended", end);
    ask();
    return () => sessionEnd.removeEventListener("ended", end);
  }, []);

  if (standing === "asking") return null;
  if (standing instanceof Error) {
    return (
      <main class="sign-in">
        <Failure error={standing} onRetry={() => location.reload()} />
      </main>
    );
  }
  if (standing === "stranger" || standing === "ended") {
    return <SignIn hasEnded={standing === "ended"} onSignedIn={setStanding} />;
  }
  const signOut = () => call("DELETE", "/session").finally(() => setStanding("stranger"));
  return (
    <SignedIn.Provider value={standing.operator}>
      <Place operator={standing.operator} onSignOut={signOut} />
    </SignedIn.Provider>
  );
}

function Place({ operator, onSignOut }: { operator: Session["operator"]; onSignOut: () => void }) {
  const { parts, parameters } = useRoute();
  const [place = "overview", id] = parts;
  return (
    <Shell place={place} address={parts.join("/")} operator={operator} onSignOut={onSignOut}>
      {pageAt(place, id, parameters)}
    </Shell>
  );
}

function pageAt(place: string, id: string | undefined, parameters: URLSearchParams) {
  if (place === "overview") return <OverviewPage />;
  if (place === "keys") return id === undefined ? <KeysPage parameters={parameters} /> : <KeyPage key={id} id={id} />;
  if (place === "pets") return <PetsPage parameters={parameters} />;
  if (place === "deprecation") return <DeprecationPage />;
  if (place === "audit") return <AuditPage />;
  if (place === "operators") return <OperatorsPage />;
  if (place === "service") return <ServicePage />;
  return (
    <Page title="Nothing here">
      <Empty icon="search" title="There is no such page">
        <p>
          Go to the <a href="#/overview">overview</a>.
        </p>
      </Empty>
    </Page>
  );
}
