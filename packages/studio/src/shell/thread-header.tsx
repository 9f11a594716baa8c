import type { ReactNode } from "react";

import { useThread } from "../api/thread.ts";
import { ExactText } from "../parts/exact-text.tsx";
import { useTexts } from "../texts/language.tsx";
import { shellTexts } from "../texts/shell-texts.ts";
import { usePageTitle } from "./page-title.ts";
import { ThreadTabs } from "./thread-tabs.tsx";

export interface ThreadHeaderProps {
  readonly id: string;
  /** The name of the view, for the title of the page. */
  readonly view: string;
  readonly children?: ReactNode;
}

/** The title of a thread, actions of the view, and the tabs of all views. */
export function ThreadHeader({ id, view, children }: ThreadHeaderProps) {
  const texts = useTexts(shellTexts);
  const title = useThread(id).data?.title ?? texts.untitled;
  usePageTitle(`${title} · ${view}`);
  return (
    <header className="flex min-h-13 min-w-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-surface px-4 py-2">
      <h1 className="min-w-0 flex-1 basis-32 truncate text-base font-semibold">
        <ExactText text={title} />
      </h1>
      {children}
      <ThreadTabs id={id} />
    </header>
  );
}
