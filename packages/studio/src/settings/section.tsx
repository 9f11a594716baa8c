import { useId } from "react";
import type { ReactNode } from "react";

interface SectionProps {
  readonly title: string;
  readonly lead?: string;
  readonly children: ReactNode;
}

/** A part of the settings with its heading. */
export function Section({ title, lead, children }: SectionProps) {
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      tabIndex={-1}
      className="outline-none flex min-w-0 flex-col gap-3 rounded-lg border border-line bg-surface p-4"
    >
      <div>
        <h2 id={id} className="text-base font-semibold">
          {title}
        </h2>
        {lead !== undefined && <p className="text-sm text-muted">{lead}</p>}
      </div>
      {children}
    </section>
  );
}
