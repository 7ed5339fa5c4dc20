import type { ComponentChildren } from "preact";

export function DescriptionList({ children }: { children: ComponentChildren }) {
  return <dl class="description-list">{children}</dl>;
}

export function DescriptionItem({ term, children }: { term: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}
