/** The languages in which the model, and the person, can be told what happened. */
export type Language = "en" | "zh";

export const languages: readonly Language[] = ["en", "zh"];
