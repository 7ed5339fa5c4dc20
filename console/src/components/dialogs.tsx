import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { type Tagged, withQuery } from "../api/call.ts";
import { useAction, useConditionalChange } from "../api/hooks.ts";
import type { Int64 } from "../api/responses.ts";
import { leaveFor, useUnloadWarning } from "../route.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Form, SelectField } from "./form.tsx";

type CopyableTextProps = {
  text: string;
  label: string;
  /** Called when the text is copied, by the button or by the user. */
  onCopied: () => void;
};

/** A text with a button that copies it to the clipboard, or selects it where that is not possible. */
function CopyableText({ text, label, onCopied }: CopyableTextProps) {
  const [isCopied, setCopied] = useState(false);
  const [isRefused, setRefused] = useState(false);
  const code = useRef<HTMLElement>(null);
  const select = () => code.current !== null && getSelection()?.selectAllChildren(code.current);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      setRefused(true);
      select();
      return;
    }
    setCopied(true);
    onCopied();
    setTimeout(() => setCopied(false), 2_000);
  };
  // Browsers have no clipboard on pages over plain HTTP from another machine, and people can refuse it.
  const canCopy = navigator.clipboard !== undefined && !isRefused;
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
        {isCopied && "Copied"}
        {isRefused && "Selected"}
      </span>
    </div>
  );
}

type NewSecretProps = { kind: "secret" | "token"; name: string; secret: string; onClose: () => void };

/** The new secret or token of `name`, which the service shows only once. Until it is copied, leaving the page asks. */
export function NewSecret({ kind, name, secret, onClose }: NewSecretProps) {
  const [isCopied, setCopied] = useState(false);
  useUnloadWarning(() => !isCopied);
  return (
    <>
      <div class="fields">
        <p>
          Copy the {kind} of <strong>{name}</strong> now. It is not shown again.
        </p>
        <CopyableText text={secret} label="Copy" onCopied={() => setCopied(true)} />
      </div>
      <footer>
        <Button onClick={onClose}>I have stored it</Button>
      </footer>
    </>
  );
}

const formats = [
  ["ndjson", "NDJSON, one object per line"],
  ["csv", "CSV, for spreadsheets"],
] as const;

type ExportDialogProps = {
  title: string;
  /** The path of the API that returns the file, and its parameters; "" for none. */
  path: string;
  parameters: Record<string, string>;
  onClose: () => void;
};

/** Downloads a file in the chosen format. */
export function ExportDialog({ title, path, parameters, onClose }: ExportDialogProps) {
  const [format, setFormat] = useState<(typeof formats)[number][0]>("ndjson");
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="fields">
        <SelectField label="Format" value={format} options={formats} onChange={setFormat} />
      </div>
      <footer>
        <Button onClick={onClose}>Cancel</Button>
        <a
          class="button primary"
          download
          href={`/admin/v1${withQuery(path, { format, ...parameters })}`}
          onClick={() => setTimeout(onClose)}
          // It looks like a button: Space works as on one.
          onKeyDown={(event) => {
            if (event.key !== " ") return;
            event.preventDefault();
            event.currentTarget.click();
          }}
        >
          Export
        </a>
      </footer>
    </Dialog>
  );
}

type RemoveDialogProps<T> = {
  of: Tagged<T>;
  /** The list that it is removed from. */
  list: "pets" | "categories";
  /** Renders the state that somebody else gave it while the dialog was open. */
  newer: (state: T) => ComponentChildren;
  children: ComponentChildren;
  onClose: () => void;
};

/** Removes something after a confirmation, then goes to its list. */
export function RemoveDialog<T extends { id: Int64; name: string }>(props: RemoveDialogProps<T>) {
  const { of, list, newer, children, onClose } = props;
  const { id, name } = of.value;
  const action = useAction();
  const change = useConditionalChange<T>(`/${list}/${id}`, of);
  const remove = async () => {
    await change.send("DELETE");
    onClose();
    leaveFor(list, `${name} was removed.`);
  };
  return (
    <Dialog title={`Remove ${name}?`} onClose={onClose}>
      <Form action={action} submitLabel={`Remove ${name}`} isDangerous onSubmit={remove}>
        {change.isNewer && newer(change.seen)}
        {children}
      </Form>
    </Dialog>
  );
}
