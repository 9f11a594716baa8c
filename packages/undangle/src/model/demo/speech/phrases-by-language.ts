import type { Language } from "#core";

import { chinesePhrases } from "./phrases-chinese.ts";
import { englishPhrases } from "./phrases-english.ts";
import type { Phrases } from "./phrases.ts";

export const phrases: Readonly<Record<Language, Phrases>> = { en: englishPhrases, zh: chinesePhrases };
