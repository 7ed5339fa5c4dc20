import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";

type PageProps = { title: string; lead?: ComponentChildren; actions?: ComponentChildren; children: ComponentChildren };

/** A page's head, and what stands below it. Its title is the document's too, which a screen reader says on arrival. */
export function Page({ title, lead, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Petstore console`;
  }, [title]);
  return (
    <>
      <header class="page-head">
        <div>
          <h1>{title}</h1>
          {lead !== undefined && <div class="lead">{lead}</div>}
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

export function Panel({
  title,
  aside,
  children,
}: {
  title: string;
  aside?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <section class="panel">
      <header>
        <h2>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}
