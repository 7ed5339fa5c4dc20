import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

type ButtonProps = {
  children: ComponentChildren;
  icon?: IconName;
  kind?: "plain" | "primary" | "danger";
  type?: "button" | "submit";
  /** While it is pending the button keeps the focus, and presses have no effect. */
  isPending?: boolean;
  disabled?: boolean;
  onClick?: () => void;
};

export function Button({
  children,
  icon,
  kind = "plain",
  type = "button",
  isPending = false,
  disabled = false,
  onClick,
}: ButtonProps) {
  return (
    <button
      class={`button ${kind}`}
      type={type}
      aria-busy={isPending}
      aria-disabled={isPending || disabled}
      disabled={disabled}
      onClick={(event) => {
        // Also the click by which Enter in a field submits the form.
        if (isPending) event.preventDefault();
        else onClick?.();
      }}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A button with an icon and no text. `label` is its accessible name and its tooltip. */
export function IconButton({ icon, label, onClick }: { icon: IconName; label: string; onClick: () => void }) {
  return (
    <button class="icon-button" type="button" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}
