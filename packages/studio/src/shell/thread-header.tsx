import type { ReactNode } from "react";

import { useThread } from "../api/thread.ts";
import { ExactText } from "../parts/text/exact-text.tsx";
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

/** The header of a view that does not change the title. */
export function ThreadHeader({ id, view, children }: ThreadHeaderProps) {
  const texts = useTexts(shellTexts);
  const title = useThread(id).data?.title ?? texts.untitled;
  usePageTitle(`${title} · ${view}`);
  return (
    <ThreadBar
      id={id}
      title={
        <h1 className="min-w-0 flex-1 basis-32 truncate text-base font-semibold">
          <ExactText text={title} />
        </h1>
      }
    >
      {children}
    </ThreadBar>
  );
}

interface ThreadBarProps {
  readonly id: string;
  readonly title: ReactNode;
  /** The state of the thread and actions of the view. */
  readonly children?: ReactNode;
  /** A button after the tabs. */
  readonly end?: ReactNode;
}

/** The title of a thread, actions of the view, and the tabs of all views: at the same place in each view. */
export function ThreadBar({ id, title, children, end }: ThreadBarProps) {
  return (
    <header className="flex min-h-13 min-w-0 gap-x-3 gap-y-1 border-b border-line bg-surface px-4 py-2 max-md:flex-col md:items-center">
      <div className="flex min-h-9 min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1 max-md:flex-none pointer-coarse:min-h-11">
        {title}
        {children}
      </div>
      <div className="flex min-h-9 flex-none items-center gap-3 pointer-coarse:min-h-11">
        <ThreadTabs id={id} />
        <span className="flex min-w-11 justify-end max-md:ml-auto">{end}</span>
      </div>
    </header>
  );
}
