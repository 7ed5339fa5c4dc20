import type { ComponentChildren } from "preact";
import { AXIS_WIDTH, type HoveredPoint } from "./plot.ts";

type TooltipProps = { point: HoveredPoint; width: number; children: ComponentChildren };

/** A box to the right of the pointer, or to its left in the right half of the plot. */
export function Tooltip({ point, width, children }: TooltipProps) {
  const isLeft = point.left > width / 2;
  return (
    <div
      class={isLeft ? "tooltip left" : "tooltip"}
      style={{ left: `${point.left + AXIS_WIDTH}px` }}
      aria-hidden="true"
    >
      {children}
    </div>
  );
}
