import { useState } from "preact/hooks";
import { Button } from "./button.tsx";

/** A text that is to be taken along. */
export function Copy({ text, label }: { text: string; label: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  // Without a clipboard (a page over plain HTTP from another machine) the text can still be selected.
  const canCopy = navigator.clipboard !== undefined;
  return (
    <div class="copy">
      <code>{text}</code>
      {canCopy && (
        <Button icon={isCopied ? "done" : "copy"} kind="primary" onClick={copy}>
          {isCopied ? "Copied" : label}
        </Button>
      )}
      <span class="unseen" role="status">
        {isCopied ? "Copied" : ""}
      </span>
    </div>
  );
}
