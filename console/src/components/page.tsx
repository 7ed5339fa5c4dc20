import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { setTitle } from "../deployment.ts";

type PageProps = {
  title: string;
  description?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
};

/** A page with its heading. The title is also that of the document, which screen readers announce. */
export function Page({ title, description, actions, children }: PageProps) {
  useEffect(() => {
    setTitle(title);
  }, [title]);
  return (
    <>
      <header class="page-head">
        <div>
          <h1 tabIndex={-1}>{title}</h1>
          {description !== undefined && <div class="description">{description}</div>}
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
