import { SunMoon } from "lucide-react";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import icon from "../icon.svg";
import { Button } from "../parts/controls/button.tsx";
import { useDocumentTitle } from "../shell/page-title.ts";
import { changePreferences, startPreferences } from "../shell/preferences.ts";
import { LanguageProvider, useLanguage, useTexts } from "../texts/language.tsx";
import { doctorTexts } from "../texts/doctor-texts.ts";
import { DoctorView } from "./doctor-view.tsx";
import "./doctor.css";

/** The doctor as a page of its own, on any static host: no server, no key, no shell. */
function DoctorPage() {
  const texts = useTexts(doctorTexts);
  const language = useLanguage();
  useDocumentTitle(0, texts.title);
  return (
    <>
      <header className="border-b border-line bg-surface">
        <div className="mx-auto flex max-w-screen-2xl items-center gap-2 px-4 py-2 md:px-6">
          <img src={icon} alt="" width={22} height={22} />
          <span className="mr-auto text-lg font-semibold">Undangle</span>
          <Button
            look="quiet"
            lang={language === "en" ? "zh-CN" : "en"}
            onClick={() => changePreferences({ language: language === "en" ? "zh" : "en" })}
          >
            {texts.otherLanguage}
          </Button>
          <Button look="quiet" aria-label={texts.theme} onClick={switchTheme}>
            <SunMoon size={18} aria-hidden />
          </Button>
        </div>
      </header>
      <main>
        <DoctorView loadRules="with the page" />
      </main>
    </>
  );
}

function switchTheme(): void {
  const isDark = getComputedStyle(document.documentElement).colorScheme === "dark";
  const followsDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const chosen = document.documentElement.dataset["theme"];
  changePreferences({ theme: isDark || (chosen === undefined && followsDark) ? "light" : "dark" });
}

startPreferences();
const place = document.querySelector("#page");
if (place === null) throw new Error("index.html has no element #page.");
createRoot(place).render(
  <StrictMode>
    <LanguageProvider>
      <DoctorPage />
    </LanguageProvider>
  </StrictMode>,
);
