import { useState } from "react";
import type { RemotePersona } from "undangle/client";

import { isDemo, usePersonas } from "../api/personas.ts";
import { queries, server } from "../api/server.ts";
import { messageOf } from "../parts/error-message.ts";
import { Button } from "../parts/controls/button.tsx";
import { FailureText } from "../parts/failure.tsx";
import { inboxTexts } from "../texts/inbox-texts.ts";
import { useTexts } from "../texts/language.tsx";

/** What an empty inbox is for, and how to fill it. */
export function EmptyInbox() {
  const texts = useTexts(inboxTexts);
  const [failure, setFailure] = useState("");
  const [isStarting, setIsStarting] = useState(false);
  const demo = usePersonas().find(isDemo);
  const start = async ({ id: persona }: RemotePersona): Promise<void> => {
    setFailure("");
    setIsStarting(true);
    try {
      const { id } = await server.threads.create({ persona, title: texts.demoTitle });
      await server.threads.start.send(id, texts.demoMessage);
      await queries.invalidateQueries({ queryKey: ["threads"] });
    } catch (error) {
      setFailure(messageOf(error));
    } finally {
      setIsStarting(false);
    }
  };
  return (
    <div className="mx-auto flex max-w-xl flex-col gap-4 px-4 py-12">
      <div>
        <h2 className="text-lg font-semibold">{texts.emptyTitle}</h2>
        <p className="text-muted">{texts.emptyText}</p>
      </div>
      <section className="rounded-lg border border-line bg-surface p-4">
        <h3 className="mb-2 font-medium">{texts.tryTitle}</h3>
        {demo === undefined ? (
          <ol className="flex list-decimal flex-col gap-1 pl-5">
            {texts.steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        ) : (
          <Button look="main" disabled={isStarting} onClick={() => void start(demo)}>
            {texts.tryDemo}
          </Button>
        )}
        <FailureText text={failure} className="mt-2" />
      </section>
    </div>
  );
}
