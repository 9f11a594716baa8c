import { createContext, useContext, useEffect } from "react";
import type { ReactNode } from "react";

import { usePreferences } from "../shell/preferences.ts";

export type Language = "en" | "zh";

/** The texts of a view in both languages. Functions insert values. */
export type Texts<T> = Readonly<Record<Language, T>>;

const Current = createContext<Language>("en");

/** The language of the browser, unless the person chose another one in the settings. */
export function LanguageProvider({ children }: { readonly children: ReactNode }) {
  const { language: chosen } = usePreferences();
  const language = chosen ?? (navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en");
  useEffect(() => {
    document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  }, [language]);
  return <Current value={language}>{children}</Current>;
}

export const useLanguage = (): Language => useContext(Current);

/** Writes names as a list. */
export function useList(): (names: readonly string[]) => string {
  const separator = useTexts(separators);
  return (names) => names.join(separator);
}

const separators: Texts<string> = { en: ", ", zh: "、" };

/** Writes sentences one after the other. */
export function useSentences(): (sentences: readonly string[]) => string {
  const space = useTexts(spaces);
  return (sentences) => sentences.join(space);
}

const spaces: Texts<string> = { en: " ", zh: "" };

export const useTexts = <T,>(texts: Texts<T>): T => texts[useLanguage()];
