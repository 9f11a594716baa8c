import { CircleCheck, CircleX } from "lucide-react";
import type { ReactNode } from "react";

import { ExactText } from "../../parts/text/exact-text.tsx";

export interface VerdictProps {
  readonly tone: "good" | "bad";
  readonly title: string;
  /** The id of the title, if a page has several. */
  readonly id?: string;
  readonly children?: ReactNode;
}

const looks = { good: "border-good bg-good-soft", bad: "border-bad bg-bad-soft" } as const;

/** What was found, in one sentence, on top of the report. */
export function Verdict({ tone, title, id = "verdict", children }: VerdictProps) {
  const Icon = tone === "good" ? CircleCheck : CircleX;
  return (
    <section aria-labelledby={id} className={`rounded-lg border p-4 ${looks[tone]}`}>
      <h2
        id={id}
        className={`flex items-start gap-2 text-lg font-semibold ${tone === "good" ? "text-good" : "text-bad"}`}
      >
        <Icon size={22} className="mt-0.5 flex-none" aria-hidden />
        <span className="min-w-0 break-words">
          <ExactText text={title} />
        </span>
      </h2>
      {children !== undefined && <div className="mt-1 pl-[1.875rem]">{children}</div>}
    </section>
  );
}
