import { type ComponentChildren, Fragment, options, type VNode } from "preact";
import { showBidiControls } from "../../src/domain/text.ts";

/** Attributes that browsers show or read aloud. */
const SHOWN = ["title", "aria-label"];

/** Shows the bidirectional control characters in every text of the console. The values of fields stay as they are. */
export function showBidiControlsEverywhere(): void {
  const next = options.vnode;
  options.vnode = (vnode: VNode<Record<string, unknown>>) => {
    const { type, props } = vnode;
    if (typeof type === "string" || type === Fragment) props.children = shown(props.children);
    if (typeof type === "string") {
      for (const name of SHOWN) {
        const text = props[name];
        if (typeof text === "string") props[name] = showBidiControls(text);
      }
    }
    next?.(vnode);
  };
}

function shown(children: ComponentChildren): ComponentChildren {
  if (typeof children === "string") return showBidiControls(children);
  return Array.isArray(children) ? children.map(shown) : children;
}
