import { settingsTexts } from "../texts/settings-texts.ts";
import { useTexts } from "../texts/language.tsx";
import { AllowancesSection } from "./allowances-section.tsx";
import { KeysSection } from "./keys-section.tsx";
import { LookSection, NotificationsSection } from "./preference-sections.tsx";
import { SessionSection } from "./session-section.tsx";

/** Allowances, keys, the session, and what the browser stores for the person. */
export function SettingsView() {
  const texts = useTexts(settingsTexts);
  return (
    <div className="mx-auto flex max-w-3xl flex-col gap-4 p-4 md:p-6">
      <h1 className="text-xl font-semibold">{texts.title}</h1>
      <AllowancesSection />
      <KeysSection />
      <LookSection />
      <NotificationsSection />
      <SessionSection />
    </div>
  );
}
