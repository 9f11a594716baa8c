import { LogOut } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";

import { useKeyName } from "../api/people.ts";
import { server } from "../api/server.ts";
import { messageOf } from "../parts/error-message.ts";
import { announceSession, useSession } from "../api/session.ts";
import { Badge } from "../parts/badge.tsx";
import { Button } from "../parts/controls/button.tsx";
import { ExactText } from "../parts/text/exact-text.tsx";
import { Failure, FailureText } from "../parts/failure.tsx";
import { useTexts } from "../texts/language.tsx";
import { settingsTexts } from "../texts/settings-texts.ts";
import { Section } from "./section.tsx";

/** Who uses the page, and with which rights. */
export function SessionSection() {
  const texts = useTexts(settingsTexts).session;
  const { data, error, refetch } = useSession();
  const [failure, setFailure] = useState("");
  const signOut = async (): Promise<void> => {
    try {
      await server.session.close();
      announceSession();
      location.assign("/"); // nothing of the session stays in memory
    } catch (fault) {
      setFailure(messageOf(fault));
    }
  };
  return (
    <Section title={texts.title}>
      {data === undefined && error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data?.needs_key === false && <p>{texts.local}</p>}
      {data !== undefined && data !== null && (
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
          <Row term={texts.recorded} content={<Recorded by={data.by} />} />
          <Row term={texts.project} content={<ExactText text={data.project} />} />
          <Row
            term={texts.scopes}
            content={
              <span className="flex flex-wrap gap-1">
                {data.scopes.map((scope) => (
                  <Badge key={scope}>{scope}</Badge>
                ))}
              </span>
            }
          />
        </dl>
      )}
      {typeof data?.csrf_token === "string" && (
        <Button className="self-start" onClick={() => void signOut()}>
          <LogOut size={16} aria-hidden /> {texts.signOut}
        </Button>
      )}
      <FailureText text={failure} />
    </Section>
  );
}

/** What decisions show, and what is recorded. */
function Recorded({ by }: { readonly by: string }) {
  const name = useKeyName()(by);
  return (
    <>
      {name !== by && <ExactText text={name} />} <code className="font-mono text-xs">{by}</code>
    </>
  );
}

const Row = ({ term, content }: { readonly term: string; readonly content: ReactNode }) => (
  <>
    <dt className="text-muted">{term}</dt>
    <dd className="min-w-0 break-words">{content}</dd>
  </>
);
