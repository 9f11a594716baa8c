import type { RemoteKey } from "undangle/client";

import { checkSession, queries, server } from "../api/server.ts";
import { messageOf } from "../parts/error-message.ts";
import { serverTime } from "../api/server-time.ts";
import { announceSession, useScopes, useSession } from "../api/session.ts";
import { Badge } from "../parts/badge.tsx";
import { ExactText } from "../parts/text/exact-text.tsx";
import { Failure } from "../parts/failure.tsx";
import { Ago } from "../parts/moment.tsx";
import { useSentences, useTexts } from "../texts/language.tsx";
import { settingsTexts } from "../texts/settings-texts.ts";
import { ConfirmButton } from "../parts/controls/confirm-button.tsx";
import { CreatedKey } from "./created-key.tsx";
import { showKeyText, useKeyText } from "./key-text.ts";
import type { KeyText } from "./key-text.ts";
import { useKeys } from "../api/keys.ts";
import { NewKeyForm } from "./new-key-form.tsx";
import { Section } from "./section.tsx";

/** The keys of the project: list, create, revoke. */
export function KeysSection() {
  const texts = useTexts(settingsTexts).keys;
  const { isAdmin } = useScopes();
  const { data: session, isPending } = useSession();
  const { data, error, refetch } = useKeys();
  const created = useKeyText();
  if (!isAdmin && !isPending) return <Section title={texts.title}>{texts.mayNot}</Section>;
  const onCreated = async (key: KeyText): Promise<void> => {
    showKeyText(key);
    if (session?.needs_key === false) {
      try {
        await server.session.open(key.text); // from now on the page needs a session
        announceSession();
      } catch (error) {
        showKeyText({ ...key, failure: messageOf(error) });
      }
    }
    await Promise.all([checkSession(), queries.invalidateQueries({ queryKey: ["keys"] })]);
  };
  const active = data?.filter((key) => !hasEnded(key)) ?? [];
  const ended = data?.filter(hasEnded) ?? [];
  const admins = active.filter(({ scopes }) => scopes.includes("admin"));
  const line = (key: RemoteKey) => (
    <KeyLine
      key={key.id}
      data={key}
      isOwn={session?.by === `key:${key.id}`}
      isLastAdmin={admins.length === 1 && admins[0] === key}
    />
  );
  return (
    <Section title={texts.title} lead={texts.lead}>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && <p>{texts.none}</p>}
      <ul className="flex flex-col divide-y divide-line">{active.map(line)}</ul>
      {ended.length > 0 && (
        <details>
          <summary className="min-h-6 rounded text-sm text-muted">{texts.ended(ended.length)}</summary>
          <ul className="flex flex-col divide-y divide-line">{ended.map(line)}</ul>
        </details>
      )}
      {created === undefined ? (
        <NewKeyForm isFirst={session?.needs_key === false} onCreated={onCreated} />
      ) : (
        <CreatedKey created={created} onDone={() => showKeyText(undefined)} />
      )}
    </Section>
  );
}

const hasEnded = ({ expires_at: expiresAt, revoked_at: revokedAt }: RemoteKey): boolean =>
  revokedAt !== null || (expiresAt !== null && Date.parse(expiresAt) <= serverTime());

interface KeyLineProps {
  readonly data: RemoteKey;
  readonly isOwn: boolean;
  /** True if no other key has the scope `admin`. */
  readonly isLastAdmin: boolean;
}

function KeyLine({ data, isOwn, isLastAdmin }: KeyLineProps) {
  const { keys: texts, sure } = useTexts(settingsTexts);
  const joined = useSentences();
  const { id, name, scopes, created_at: createdAt, expires_at: expiresAt, revoked_at: revokedAt } = data;
  const warnings = [isOwn && texts.ownWarning, isLastAdmin && texts.lastWarning].filter((each) => each !== false);
  const revoke = async (): Promise<void> => {
    await server.keys.revoke(id);
    await (isOwn ? checkSession() : queries.invalidateQueries({ queryKey: ["keys"] }));
  };
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 py-2">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="font-medium break-words">
            <ExactText text={name} />
          </span>
          <code className="font-mono text-xs text-muted">{id}</code>
          {isOwn && <Badge tone="accent">{texts.own}</Badge>}
          {revokedAt !== null && <Badge tone="bad">{texts.revoked}</Badge>}
          {revokedAt === null && hasEnded(data) && <Badge tone="warn">{texts.expired}</Badge>}
        </p>
        <p className="mt-1 flex flex-wrap gap-1">
          {scopes.map((scope) => (
            <Badge key={scope}>{scope}</Badge>
          ))}
        </p>
        <p className="text-sm text-muted">
          {texts.created} <Ago at={Date.parse(createdAt)} />
          {" · "}
          {revokedAt === null ? (
            <>
              {texts.expires} {expiresAt === null ? texts.never : <Ago at={Date.parse(expiresAt)} />}
            </>
          ) : (
            <>
              {texts.revoked} <Ago at={Date.parse(revokedAt)} />
            </>
          )}
        </p>
      </div>
      {revokedAt === null && (
        <ConfirmButton
          text={texts.revoke}
          sure={sure}
          name={texts.revokeName(name)}
          warning={warnings.length === 0 ? undefined : joined(warnings)}
          onConfirm={revoke}
        />
      )}
    </li>
  );
}
