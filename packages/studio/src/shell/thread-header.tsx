import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { server } from "../api/server.ts";
import { useTexts } from "../texts/language.tsx";
import { shellTexts } from "../texts/shell-texts.ts";
import { ThreadTabs } from "./thread-tabs.tsx";

/** The title of a thread and the tabs of its views. */
export function ThreadHeader({ id, children }: { readonly id: string; readonly children?: ReactNode }) {
  const texts = useTexts(shellTexts);
  const { data } = useQuery({ queryKey: ["thread", id], queryFn: () => server.threads.get(id) });
  return (
    <header className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line bg-surface px-4 py-2">
      <h1 className="min-w-0 truncate text-lg font-semibold">{data?.title ?? texts.untitled}</h1>
      <ThreadTabs id={id} />
      {children}
    </header>
  );
}
