import type { IssuedKey } from "../api/answers.ts";
import { Button } from "../parts/button.tsx";
import { Copy } from "../parts/copy.tsx";

/** A new secret, which nobody can be shown a second time. */
export function SecretShown({ issued, onClose }: { issued: IssuedKey; onClose: () => void }) {
  return (
    <>
      <div class="fields">
        <p>
          This is the secret of <strong>{issued.key.name}</strong>. It is shown only now: only its hash is kept.
        </p>
        <Copy text={issued.secret} label="Copy" />
      </div>
      <footer>
        <Button onClick={onClose}>I have stored it</Button>
      </footer>
    </>
  );
}
