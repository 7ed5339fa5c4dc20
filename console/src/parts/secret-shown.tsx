import { Button } from "./button.tsx";
import { Copy } from "./copy.tsx";

type Props = { kind: "secret" | "token"; name: string; secret: string; onClose: () => void };

/** A new secret or token of whatever has this name, which nobody can be shown a second time. */
export function SecretShown({ kind, name, secret, onClose }: Props) {
  return (
    <>
      <div class="fields">
        <p>
          This is the {kind} of <strong>{name}</strong>. It is shown only now: only its hash is kept.
        </p>
        <Copy text={secret} label="Copy" />
      </div>
      <footer>
        <Button onClick={onClose}>I have stored it</Button>
      </footer>
    </>
  );
}
