import { useLayoutEffect, useRef } from "preact/hooks";
import type { Session } from "../api/responses.ts";
import { useNavigationGuard } from "../route.ts";
import { SignIn } from "./sign-in.tsx";

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
      <SignIn onSignedIn={onSignedIn}>
        <p class="note" role="status">
          Your session has ended. Sign in to return to this page.
        </p>
      </SignIn>
    </dialog>
  );
}
