import { useQuery } from "@tanstack/react-query";
import type { RemoteRepair } from "undangle/client";

import { useLanguage } from "../../texts/language.tsx";

/** A repair, or its mark in a timeline. */
export interface NamedRepair extends Pick<RemoteRepair, "message" | "edit"> {
  readonly rule?: string;
  readonly source?: RemoteRepair["source"];
}

/** Describes repairs in the language of the page. The words of rules are loaded where the page is Chinese. */
export function useRepairText(): (repair: NamedRepair) => string {
  const language = useLanguage();
  const { data } = useQuery({
    queryKey: ["chinese-repair-text"],
    queryFn: () => import("./chinese-repair-text.ts"),
    enabled: language === "zh",
    staleTime: Infinity,
  });
  return (repair) => (language === "zh" && data !== undefined ? data.chineseRepairText(repair) : repair.message);
}
