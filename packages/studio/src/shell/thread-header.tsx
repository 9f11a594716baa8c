import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { server } from "../api/server.ts";
import { useTexts } from "../texts/language.tsx";
import { shellTexts } from "../texts/shell-texts.ts";
import { ThreadTabs } from "./thread-tabs.tsx";

/** The title of a thread, actions of the view, and the tabs of all views. */
export function ThreadHeader({ id, children }: { readonly id: string; readonly children?: ReactNode }) {
  const texts = useTexts(shellTexts);
  const { data } = useQuery({ queryKey: ["thread-title", id], queryFn: () => server.threads.pending(id) });
  return (
    <header className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-surface px-4 py-2">
      <h1 className="min-w-0 flex-1 basis-32 truncate text-base font-semibold">{data?.title ?? texts.untitled}</h1>
      {children}
      <ThreadTabs id={id} />
    </header>
  );
}
