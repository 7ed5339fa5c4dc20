import { useState } from "preact/hooks";
import { useUnloadWarning } from "../unload-warning.ts";
import { Button } from "./button.tsx";
import { CopyableText } from "./copyable-text.tsx";

type NewSecretProps = { kind: "secret" | "token"; name: string; secret: string; onClose: () => void };

/** The new secret or token of `name`, which the service shows only once. Until it is copied, leaving the page asks. */
export function NewSecret({ kind, name, secret, onClose }: NewSecretProps) {
  const [isCopied, setCopied] = useState(false);
  useUnloadWarning(() => !isCopied);
  return (
    <>
      <div class="fields">
        <p>
          Copy the {kind} of <strong>{name}</strong> now. It is not shown again: the service stores only its hash.
        </p>
        <CopyableText text={secret} label="Copy" onCopied={() => setCopied(true)} />
      </div>
      <footer>
        <Button onClick={onClose}>I have stored it</Button>
      </footer>
    </>
  );
}
