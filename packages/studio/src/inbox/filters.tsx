import { useId } from "react";

import { inboxTexts } from "../texts/inbox-texts.ts";
import { useTexts } from "../texts/language.tsx";
import { filterChoices } from "./inbox-lines.ts";
import type { InboxFilter, InboxLine } from "./inbox-lines.ts";

interface FiltersProps {
  readonly lines: readonly InboxLine[];
  readonly filter: InboxFilter;
  readonly onChange: (filter: InboxFilter) => void;
}

export function Filters({ lines, filter, onChange }: FiltersProps) {
  const texts = useTexts(inboxTexts);
  const { agents, tools, risks } = filterChoices(lines);
  return (
    <div role="group" aria-label={texts.filters} className="grid grid-cols-3 gap-2 sm:flex sm:flex-wrap">
      <Choice
        label={texts.agent}
        value={filter.agent}
        choices={agents.map((agent) => [agent, agent])}
        onChange={(agent) => onChange({ ...filter, agent })}
      />
      <Choice
        label={texts.tool}
        value={filter.tool}
        choices={tools.map((tool) => [tool, tool])}
        onChange={(tool) => onChange({ ...filter, tool })}
      />
      <Choice
        label={texts.risk}
        value={filter.risk}
        choices={risks.map((risk) => [risk, texts.risks[risk]])}
        onChange={(value) => onChange({ ...filter, risk: risks.find((risk) => risk === value) })}
      />
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly choices: readonly (readonly [value: string, text: string])[];
  readonly onChange: (value: string | undefined) => void;
}

/** A chosen value stays in the list when its last call has left. */
function Choice({ label, value, choices, onChange }: ChoiceProps) {
  const texts = useTexts(inboxTexts);
  const id = useId();
  const isKept = value !== undefined && !choices.some(([each]) => each === value);
  return (
    <div className="flex min-w-0 flex-col text-sm sm:flex-row sm:items-center sm:gap-1.5">
      <label htmlFor={id} className="text-muted">
        {label}
      </label>
      <select
        id={id}
        className="min-h-9 min-w-0 rounded-md border border-control bg-surface px-2 pointer-coarse:min-h-11 sm:max-w-48"
        value={value ?? ""}
        onChange={({ target }) => onChange(target.value === "" ? undefined : target.value)}
      >
        <option value="">{texts.all}</option>
        {isKept && <option value={value}>{value}</option>}
        {choices.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
