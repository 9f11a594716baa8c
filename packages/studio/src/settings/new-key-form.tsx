import { useId, useState } from "react";
import type { SubmitEvent } from "react";

import { server } from "../api/server.ts";
import { messageOf } from "../parts/error-message.ts";
import { serverTime } from "../api/server-time.ts";
import { Button } from "../parts/controls/button.tsx";
import { FailureText } from "../parts/failure.tsx";
import { useTexts } from "../texts/language.tsx";
import { settingsTexts } from "../texts/settings-texts.ts";
import type { KeyScope } from "../texts/settings-texts.ts";
import type { KeyText } from "./key-text.ts";

const scopes: readonly KeyScope[] = ["chat", "threads", "approve", "admin"];
const expiries = ["never", "1", "7", "30", "90", "365"] as const;
const day = 24 * 60 * 60 * 1000;

interface NewKeyFormProps {
  /** True on a server without keys. Its first key needs the scope `admin`. */
  readonly isFirst: boolean;
  readonly onCreated: (key: KeyText) => Promise<void>;
}

/** Creates a key with scopes and an expiry. */
export function NewKeyForm({ isFirst, onCreated }: NewKeyFormProps) {
  const texts = useTexts(settingsTexts).newKey;
  const id = useId();
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<KeyScope>>(new Set<KeyScope>(["threads", "approve"]));
  const [given, setExpiry] = useState<(typeof expiries)[number]>();
  const expiry = given ?? (isFirst ? "never" : "90"); // without another admin key, it could not be replaced
  const [failure, setFailure] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const wanted = scopes.filter((scope) => chosen.has(scope) || (isFirst && scope === "admin"));
  const create = async (): Promise<void> => {
    setFailure("");
    if (wanted.length === 0) return setFailure(texts.noScope);
    setIsBusy(true);
    try {
      const expiresAt = expiry === "never" ? undefined : new Date(serverTime() + Number(expiry) * day).toISOString();
      const wish = { name: name.trim(), scopes: wanted, ...(expiresAt !== undefined && { expires_at: expiresAt }) };
      await onCreated(await server.keys.create(wish));
    } catch (error) {
      setFailure(messageOf(error));
    } finally {
      setIsBusy(false);
    }
  };
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!isBusy && name.trim() !== "") void create();
  };
  const toggle = (scope: KeyScope, isOn: boolean): void =>
    setChosen(new Set(scopes.filter((each) => (each === scope ? isOn : chosen.has(each)))));
  return (
    <form onSubmit={onSubmit} aria-labelledby={`${id}-title`} className="flex flex-col gap-3 border-t border-line pt-3">
      <h3 id={`${id}-title`} className="font-medium">
        {texts.title}
      </h3>
      {isFirst && <p className="rounded-md bg-warn-soft p-2 text-sm text-warn">{texts.first}</p>}
      <div className="flex flex-wrap gap-x-4 gap-y-3">
        <label className="flex min-w-0 flex-1 basis-48 flex-col gap-1 text-sm font-medium">
          {texts.name}
          <input
            required
            maxLength={100}
            autoComplete="off"
            value={name}
            onChange={({ target }) => setName(target.value)}
            className="min-h-9 w-full rounded-md border border-control bg-surface px-2 font-normal pointer-coarse:min-h-11"
          />
        </label>
        <label className="flex flex-col gap-1 text-sm font-medium">
          {texts.expiry}
          <select
            value={expiry}
            onChange={({ target }) => setExpiry(expiries.find((each) => each === target.value) ?? "90")}
            className="min-h-9 rounded-md border border-control bg-surface px-2 font-normal pointer-coarse:min-h-11"
          >
            {expiries.map((each) => (
              <option key={each} value={each}>
                {texts.expiries[each]}
              </option>
            ))}
          </select>
        </label>
      </div>
      <fieldset>
        <legend className="text-sm font-medium">{texts.scopes}</legend>
        {scopes.map((scope) => (
          <label key={scope} className="flex min-h-8 items-center gap-2 pointer-coarse:min-h-11">
            <input
              type="checkbox"
              className="size-4 flex-none accent-accent-strong"
              checked={wanted.includes(scope)}
              disabled={isFirst && scope === "admin"}
              onChange={({ target }) => toggle(scope, target.checked)}
            />
            {texts.scope[scope]}
          </label>
        ))}
      </fieldset>
      <FailureText text={failure} />
      <Button type="submit" look="main" className="self-start" aria-disabled={isBusy || name.trim() === ""}>
        {texts.create}
      </Button>
    </form>
  );
}
