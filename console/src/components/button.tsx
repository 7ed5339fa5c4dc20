import type { ComponentChildren } from "preact";

/** Line paths on a grid of 20. Each is decoration: text or a label beside it gives the meaning. */
const paths = {
  overview: "M2.5 11h3l2.5-6.5 4 11 2.5-6.5 1 2h2",
  keys: "M8.6 11.4 16.5 3.5M13.5 6.5l2.5 2.5M10 14a3.5 3.5 0 1 1-7 0 3.5 3.5 0 0 1 7 0Z",
  pets: "M10 10.2c2 0 4 2.3 4 4.3 0 1.3-.9 1.9-1.9 1.9-.8 0-1.3-.4-2.1-.4s-1.3.4-2.1.4c-1 0-1.9-.6-1.9-1.9 0-2 2-4.3 4-4.3ZM4.3 8.3a.9 1.3 0 1 0 .01 0ZM15.7 8.3a.9 1.3 0 1 0 .01 0ZM7.9 4a1 1.4 0 1 0 .01 0ZM12.1 4a1 1.4 0 1 0 .01 0Z",
  categories:
    "M3.5 9.4V4.5a1 1 0 0 1 1-1h4.9a1 1 0 0 1 .7.3l6.1 6.1a1 1 0 0 1 0 1.4l-4.9 4.9a1 1 0 0 1-1.4 0L3.8 10.1a1 1 0 0 1-.3-.7ZM7 7h.01",
  orders: "M4.8 7h10.4l.8 8.4a1 1 0 0 1-1 1.1H5a1 1 0 0 1-1-1.1ZM7.3 9.5V6.2a2.7 2.7 0 0 1 5.4 0v3.3",
  alerts:
    "M10 3.2a4.4 4.4 0 0 1 4.4 4.4c0 3.6 1.6 5.4 1.6 5.4H4s1.6-1.8 1.6-5.4A4.4 4.4 0 0 1 10 3.2ZM8.4 15.5a1.7 1.7 0 0 0 3.2 0",
  webhooks: "M3.5 10h8M8.5 7l3 3-3 3M11 4.5h4a1.5 1.5 0 0 1 1.5 1.5v8a1.5 1.5 0 0 1-1.5 1.5h-4",
  requests: "M3 6.5h11M11 3.5l3 3-3 3M17 13.5H6M9 10.5l-3 3 3 3",
  deprecation: "M5 3h10M5 17h10M6.5 3v2.5L10 10l3.5-4.5V3M6.5 17v-2.5L10 10l3.5 4.5V17",
  audit:
    "M6.5 3.5h7a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2h-7a2 2 0 0 1-2-2v-9a2 2 0 0 1 2-2ZM7.5 7.5h5M7.5 10.5h5M7.5 13.5h2.5",
  operators:
    "M7.5 9.5a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6ZM2.5 16.2c.4-2.6 2.5-4 5-4s4.6 1.4 5 4M13 4.2a2.7 2.7 0 0 1 0 5M14.8 12.5c1.5.6 2.5 1.9 2.7 3.7",
  service:
    "M4.5 3.5h11a1 1 0 0 1 1 1v3.5a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1V4.5a1 1 0 0 1 1-1ZM4.5 11.5h11a1 1 0 0 1 1 1v3a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1v-3a1 1 0 0 1 1-1ZM6.5 6.2h.01M6.5 14h.01",
  backups:
    "M10 3.5c3.6 0 6 1 6 2.3S13.6 8 10 8 4 7 4 5.8s2.4-2.3 6-2.3ZM4 5.8v8.4c0 1.3 2.4 2.3 6 2.3s6-1 6-2.3V5.8M4 10c0 1.3 2.4 2.3 6 2.3s6-1 6-2.3",
  sun: "M10 13.2a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4ZM10 2.5v1.6M10 15.9v1.6M2.5 10h1.6M15.9 10h1.6M4.7 4.7l1.1 1.1M14.2 14.2l1.1 1.1M4.7 15.3l1.1-1.1M14.2 5.8l1.1-1.1",
  moon: "M16.5 11.5A6.8 6.8 0 0 1 8.5 3.5a6.8 6.8 0 1 0 8 8Z",
  system: "M3.5 4h13v9h-13ZM7.5 16.5h5M10 13v3.5",
  "sign-out": "M8 3.5H5a1.5 1.5 0 0 0-1.5 1.5v10A1.5 1.5 0 0 0 5 16.5h3M13 13.5l3.5-3.5L13 6.5M16.5 10H8",
  copy: "M8 7.5h7.5a1 1 0 0 1 1 1V16a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1V8.5a1 1 0 0 1 1-1ZM4 12.5a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1h7.5a1 1 0 0 1 1 1",
  check: "M4 10.5l4 4 8-9",
  add: "M10 4v12M4 10h12",
  search: "M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11ZM13 13l3.5 3.5",
  upload: "M10 13V3.5M6.5 7 10 3.5 13.5 7M3.5 13v2.5a1 1 0 0 0 1 1h11a1 1 0 0 0 1-1V13",
  download: "M10 3.5V13M6.5 9.5 10 13l3.5-3.5M3.5 13v2.5a1 1 0 0 0 1 1h11a1 1 0 0 0 1-1V13",
  close: "M5 5l10 10M15 5 5 15",
  menu: "M3 6h14M3 10h14M3 14h14",
  down: "M5.5 8 10 12.5 14.5 8",
  back: "M12 4.5 6.5 10l5.5 5.5",
  forward: "M8 4.5l5.5 5.5L8 15.5",
  warning: "M10 3.5 17.5 16.5h-15ZM10 8.5v3.5M10 14.3h.01",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}

export type ButtonProps = {
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

/** The paw and the name, and the name of the deployment. */
export function Logo({ deployment }: { deployment: string }) {
  return (
    <span class="logo">
      <svg viewBox="0 0 32 32" aria-hidden="true" focusable="false">
        <rect width="32" height="32" rx="8" />
        <ellipse cx="16" cy="20.6" rx="5.6" ry="4.6" />
        <ellipse cx="8.6" cy="15.4" rx="2.3" ry="3" />
        <ellipse cx="23.4" cy="15.4" rx="2.3" ry="3" />
        <ellipse cx="13" cy="10.6" rx="2.3" ry="3.1" />
        <ellipse cx="19" cy="10.6" rx="2.3" ry="3.1" />
      </svg>
      <span>
        Petstore
        <span class={`deployment ${deployment}`}>{deployment}</span>
      </span>
    </span>
  );
}
