import { MessageSquarePlus } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";

import { importThread } from "../api/import-thread.ts";
import { useScopes } from "../api/session.ts";
import { Button } from "../parts/controls/button.tsx";
import { messageOf } from "../parts/error-message.ts";
import { FailureText } from "../parts/failure.tsx";
import { threadPlace } from "../shell/address.ts";
import { continueTexts } from "../texts/continue-texts.ts";
import { useTexts } from "../texts/language.tsx";
import { DoctorView } from "./doctor-view.tsx";
import type { ContinueProps } from "./parts/history-view.tsx";

/** The doctor in the studio: a person who may import threads can continue a repaired history as one. */
export function StudioDoctor() {
  const { mayRead } = useScopes();
  const texts = useTexts(continueTexts);
  return mayRead ? <DoctorView privacy={texts.private} Continue={ContinueButton} /> : <DoctorView />;
}

/** The one button of the doctor that sends something. Its text states so. The server repairs the history as well. */
function ContinueButton({ request }: ContinueProps) {
  const texts = useTexts(continueTexts);
  const [, go] = useLocation();
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState("");
  const start = async (): Promise<void> => {
    setFailure("");
    setIsBusy(true);
    try {
      go(threadPlace(await importThread(await request("original", {}))));
    } catch (error) {
      setFailure(messageOf(error));
      setIsBusy(false);
    }
  };
  return (
    <div className="mt-2 flex flex-wrap items-center gap-2">
      <Button disabled={isBusy} onClick={() => void start()}>
        <MessageSquarePlus size={16} aria-hidden className="flex-none" />
        {isBusy ? (
          texts.sending
        ) : (
          <span className="text-left">
            {texts.continue} <span className="font-normal text-muted">{texts.note}</span>
          </span>
        )}
      </Button>
      <FailureText text={failure} />
    </div>
  );
}
