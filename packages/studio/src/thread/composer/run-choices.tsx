import type { QueuedThread, SendOptions } from "undangle/client";

import { useModels, usePersonas } from "../../api/personas.ts";
import { useScopes } from "../../api/session.ts";
import { Choice } from "../../parts/controls/choice.tsx";
import { composerTexts } from "../../texts/composer-texts.ts";
import { useTexts } from "../../texts/language.tsx";

export type Mode = NonNullable<SendOptions["mode"]>;

interface RunChoicesProps {
  readonly thread: QueuedThread;
  readonly mode: Mode | undefined;
  /** The thread stays read-only until a message has another mode. */
  readonly isReadOnly: boolean;
  readonly onMode: (mode: Mode | undefined) => void;
  readonly onChange: (next: { readonly persona?: string; readonly model?: string | null }) => void;
}

/** Who responds to the next message, and what its calls may do. */
export function RunChoices({ thread, mode, isReadOnly, onMode, onChange }: RunChoicesProps) {
  const texts = useTexts(composerTexts);
  const { mayDecide } = useScopes();
  const personas = usePersonas();
  const models = useModels();
  const persona = personas.find(({ id }) => id === thread.persona);
  return (
    <>
      {personas.length > 0 && (
        <Choice
          label={texts.persona}
          hasLabel
          value={thread.persona}
          options={personas.map(({ id, name }) => ({ value: id, text: name }))}
          onChange={(value) => onChange({ persona: value })}
        />
      )}
      {persona !== undefined && (
        <Choice
          label={texts.model}
          hasLabel
          value={thread.model ?? ""}
          options={[
            { value: "", text: texts.modelDefault(persona.model) },
            ...models.map((name) => ({ value: name, text: name })),
          ]}
          onChange={(value) => onChange({ model: value === "" ? null : value })}
        />
      )}
      <Choice<Mode | "">
        label={texts.mode}
        hasLabel
        value={mode === undefined || (isReadOnly && mode === "read-only") ? "" : mode}
        options={[
          { value: "", text: isReadOnly ? texts.modes["read-only"] : texts.modeDefault },
          { value: "ask", text: texts.modes.ask },
          ...(mayDecide ? [{ value: "accept-edits" as const, text: texts.modes["accept-edits"] }] : []),
          { value: "plan", text: texts.modes.plan },
          ...(isReadOnly ? [] : [{ value: "read-only" as const, text: texts.modes["read-only"] }]),
        ]}
        onChange={(value) => onMode(value === "" ? undefined : value)}
      />
    </>
  );
}

interface ModeNoteProps {
  /** The chosen mode. */
  readonly mode: Mode | undefined;
  /** The mode of the last run. */
  readonly lastMode: Mode | undefined;
}

/** What the next run may do, if its mode is not that of the persona: some modes leave out tools. */
export function ModeNote({ mode, lastMode }: ModeNoteProps) {
  const { modeNotes } = useTexts(composerTexts);
  const next = mode ?? (lastMode === "read-only" ? lastMode : undefined); // a thread stays read-only
  return next !== undefined && <p className="px-1 text-xs text-muted">{modeNotes[next]}</p>;
}
