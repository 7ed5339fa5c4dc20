import type { ComponentChildren } from "preact";
import { AXIS } from "./drawing.ts";

/** What is pointed at: which of the moments, and how far from the axis, in pixels. */
export type Pointed = { at: number; left: number };

type TipProps = { pointed: Pointed; width: number; children: ComponentChildren };

/** What stands beside the pointer; on its other side where there is no room. */
export function Tip({ pointed, width, children }: TipProps) {
  const isRight = pointed.left > width / 2;
  return (
    <div class={isRight ? "tip right" : "tip"} style={{ left: `${pointed.left + AXIS}px` }} aria-hidden="true">
      {children}
    </div>
  );
}
