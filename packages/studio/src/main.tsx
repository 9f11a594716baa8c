import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { queries } from "./api/server.ts";
import { followSession } from "./api/session.ts";
import { App } from "./app.tsx";
import { startPreferences } from "./shell/preferences.ts";
import { LanguageProvider } from "./texts/language.tsx";
import "./style.css";

startPreferences();
followSession();
const place = document.querySelector("#page");
if (place === null) throw new Error("index.html has no element #page.");
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <LanguageProvider>
        <App />
      </LanguageProvider>
    </QueryClientProvider>
  </StrictMode>,
);
