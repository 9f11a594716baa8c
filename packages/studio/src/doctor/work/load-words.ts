import type { Language } from "undangle";
import { englishWords } from "undangle/report";
import type { Words } from "undangle/report";

/** The words of a language. The Chinese ones are not part of the script of the worker, and load when they are first needed. */
export const loadWords = async (language: Language): Promise<Words> =>
  language === "zh" ? (await import("./chinese-words.ts")).chineseWords : englishWords;

/** The same, or the English words if those of the language cannot be loaded: its report is worth more than its language. */
export const wordsIn = (language: Language): Promise<Words> => loadWords(language).catch(() => englishWords);
