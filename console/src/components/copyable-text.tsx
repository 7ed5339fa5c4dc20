import { useRef, useState } from "preact/hooks";
import { Button } from "./button.tsx";

type CopyableTextProps = {
  text: string;
  label: string;
  /** Called when the text is copied, by the button or by the user. */
  onCopied: () => void;
};

/** A text with a button that copies it to the clipboard, or selects it. */
export function CopyableText({ text, label, onCopied }: CopyableTextProps) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    onCopied();
    setTimeout(() => setCopied(false), 2_000);
  };
  const code = useRef<HTMLElement>(null);
  const select = () => code.current !== null && getSelection()?.selectAllChildren(code.current);
  // Browsers have no clipboard on pages over plain HTTP from another machine.
  const canCopy = navigator.clipboard !== undefined;
  return (
    <div class="copyable-text">
      <code ref={code} onCopy={onCopied}>
        {text}
      </code>
      {canCopy ? (
        <Button icon={isCopied ? "check" : "copy"} kind="primary" onClick={copy}>
          {isCopied ? "Copied" : label}
        </Button>
      ) : (
        <Button kind="primary" onClick={select}>
          Select
        </Button>
      )}
      <span class="visually-hidden" role="status">
        {isCopied ? "Copied" : ""}
      </span>
    </div>
  );
}
