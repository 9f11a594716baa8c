import { useId, useState } from "react";

import { notifyPermission, requestNotifications } from "../shell/notify.ts";
import { changePreferences, usePreferences } from "../shell/preferences.ts";
import { useTexts } from "../texts/language.tsx";
import { settingsTexts } from "../texts/settings-texts.ts";
import { Section } from "./section.tsx";

/** The language and the theme. Without a choice they follow the browser and the system. */
export function LookSection() {
  const texts = useTexts(settingsTexts).look;
  const { language, theme } = usePreferences();
  return (
    <Section title={texts.title}>
      <Options
        label={texts.language}
        value={language}
        options={[
          { value: undefined, text: texts.browser },
          { value: "en", text: "English", lang: "en" },
          { value: "zh", text: "中文", lang: "zh-CN" },
        ]}
        onChange={(chosen) => changePreferences({ language: chosen })}
      />
      <Options
        label={texts.theme}
        value={theme}
        options={[
          { value: undefined, text: texts.system },
          { value: "light", text: texts.light },
          { value: "dark", text: texts.dark },
        ]}
        onChange={(chosen) => changePreferences({ theme: chosen })}
      />
    </Section>
  );
}

interface OptionsProps<Value extends string> {
  readonly label: string;
  readonly value: Value | undefined;
  readonly options: readonly {
    readonly value: Value | undefined;
    readonly text: string;
    readonly lang?: string;
  }[];
  readonly onChange: (value: Value | undefined) => void;
}

function Options<Value extends string>({ label, value, options, onChange }: OptionsProps<Value>) {
  const name = useId();
  return (
    <fieldset>
      <legend className="text-sm font-medium">{label}</legend>
      <div className="flex flex-wrap gap-x-5 gap-y-1">
        {options.map((option) => (
          <label key={option.value ?? "own"} className="flex min-h-8 items-center gap-2 pointer-coarse:min-h-11">
            <input
              type="radio"
              name={name}
              className="size-4 accent-accent-strong"
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            <span lang={option.lang}>{option.text}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** Notifications on or off, and what the browser permits. It asks only after a click. */
export function NotificationsSection() {
  const texts = useTexts(settingsTexts).notifications;
  const { notifications } = usePreferences();
  const [permission, setPermission] = useState(notifyPermission);
  const turn = async (isOn: boolean): Promise<void> => {
    if (isOn && permission === "default") setPermission(await requestNotifications());
    else changePreferences({ notifications: isOn });
  };
  const id = useId();
  return (
    <Section title={texts.title}>
      <label className="flex min-h-8 items-center gap-2 pointer-coarse:min-h-11">
        <input
          type="checkbox"
          className="size-4 flex-none accent-accent-strong"
          aria-describedby={id}
          checked={permission === "granted" && notifications !== false}
          disabled={permission === "denied" || permission === "unsupported"}
          onChange={({ target }) => void turn(target.checked)}
        />
        {texts.on}
      </label>
      <p id={id} className="text-sm text-muted">
        {texts.state[permission]}
      </p>
    </Section>
  );
}
