import { ArrowLeft } from "lucide-react";
import { useDeferredValue, useEffect, useRef, useState } from "react";

import { usePageTitle } from "../../shell/page-title.ts";
import { useLanguage, useTexts } from "../../texts/language.tsx";
import { doctorTexts } from "../../texts/doctor-texts.ts";
import { placeOfRule } from "../doctor-place.ts";
import type { RuleView } from "../work/examination.ts";
import type { Doctor } from "../use-doctor.ts";
import { Failed } from "./failed.tsx";
import { RequestPrevention } from "./prevention-panel.tsx";

/** The rules in the language of the page. Undefined until they are loaded. */
function useRules({ request }: Doctor): readonly RuleView[] | undefined {
  const language = useLanguage();
  const [rules, setRules] = useState<readonly RuleView[]>();
  useEffect(() => {
    let isCurrent = true;
    const load = async (): Promise<void> => {
      const loaded = await request("rules", { language });
      if (isCurrent) setRules(loaded);
    };
    load().catch(() => undefined); // the state of the doctor has the reason
    return () => {
      isCurrent = false;
    };
  }, [request, language]);
  return rules;
}

/** The title of a page. It receives the focus, and is scrolled to: the link may have been far below. */
function Title({ title }: { readonly title: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  usePageTitle(title);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    heading.current?.scrollIntoView({ block: "center" });
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1} className="text-2xl font-semibold outline-none">
      {title}
    </h1>
  );
}

function Loading({ doctor: { state } }: { readonly doctor: Doctor }) {
  const { loading } = useTexts(doctorTexts);
  if (state.phase === "failed") return <Failed message={state.message} />;
  return <p className="mt-1 text-muted">{loading}</p>;
}

function Back() {
  const texts = useTexts(doctorTexts);
  return (
    <a href="#" className="inline-flex items-center gap-1 self-start text-accent underline underline-offset-4">
      <ArrowLeft size={16} aria-hidden /> {texts.rules.back}
    </a>
  );
}

/** All rules, with a search over their texts and the errors of providers. */
export function RuleList({ doctor }: { readonly doctor: Doctor }) {
  const { rules: texts } = useTexts(doctorTexts);
  const rules = useRules(doctor);
  const [typed, setTyped] = useState("");
  const search = useDeferredValue(typed.trim().toLowerCase());
  const found = rules?.filter((rule) => search === "" || JSON.stringify(rule).toLowerCase().includes(search));
  return (
    <>
      <Back />
      <header>
        <Title title={texts.title} />
        {rules === undefined ? (
          <Loading doctor={doctor} />
        ) : (
          <p className="mt-1 text-muted">{texts.lead(rules.length)}</p>
        )}
      </header>
      <input
        type="search"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        aria-label={texts.search}
        placeholder={texts.search}
        className="min-h-10 max-w-xl rounded-md border border-control bg-surface px-3 py-1"
      />
      {found?.length === 0 && <p role="status">{texts.none}</p>}
      <ul className="grid gap-2 sm:grid-cols-2 xl:grid-cols-3">
        {found?.map(({ rule, title }) => (
          <li key={rule}>
            <a
              href={placeOfRule(rule)}
              className="block h-full rounded-md border border-line bg-surface px-3 py-2 hover:border-control hover:bg-raised"
            >
              <span className="block">{title}</span>
              <span className="font-mono text-xs text-muted">{rule}</span>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

/** One rule: why it is broken, how to prevent it, and what providers say. */
export function RulePage({ rule: name, doctor }: { readonly rule: string; readonly doctor: Doctor }) {
  const texts = useTexts(doctorTexts);
  const rules = useRules(doctor);
  const rule = rules?.find((each) => each.rule === name);
  return (
    <>
      <nav className="flex flex-wrap gap-x-6 gap-y-2">
        <Back />
        <a href="#rules" className="text-accent underline underline-offset-4">
          {texts.rules.all}
        </a>
      </nav>
      {rules === undefined && <Loading doctor={doctor} />}
      {rules !== undefined && rule === undefined && <Title title={texts.rules.unknown(name)} />}
      {rule !== undefined && <RuleDetails rule={rule} />}
    </>
  );
}

function RuleDetails({ rule: { rule, title, why, fix, lossless, cases } }: { readonly rule: RuleView }) {
  const texts = useTexts(doctorTexts);
  return (
    <article className="flex flex-col gap-5">
      <header>
        <Title title={title} />
        <p className="font-mono text-sm text-muted">{rule}</p>
      </header>
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <dl className="grid gap-x-4 gap-y-2 rounded-lg border border-line bg-surface p-4 sm:grid-cols-[auto_1fr]">
          <dt className="text-muted">{texts.why}</dt>
          <dd>{why}</dd>
          <dt className="text-muted">{texts.fix}</dt>
          <dd>
            {fix} {texts.rules.lossless[`${lossless}`]}
          </dd>
        </dl>
        <RequestPrevention />
      </div>
      <section aria-labelledby="cases">
        <h2 id="cases" className="mb-2 text-lg font-semibold">
          {texts.rules.errors}
        </h2>
        <ul className="grid gap-3 lg:grid-cols-2">
          {cases.map(({ format, provider, statement, errors, source }, i) => (
            <li key={i} className="flex min-w-0 flex-col gap-2 rounded-lg border border-line bg-surface p-4 text-sm">
              <p className="font-medium">{provider === undefined ? format : `${provider} (${format})`}</p>
              <p lang="en">{statement}</p>
              {errors.map((error) => (
                <p key={error} lang="en" className="border-l-2 border-bad pl-3 font-mono text-xs break-words">
                  {error}
                </p>
              ))}
              {source !== "" && (
                <a
                  href={source}
                  target="_blank"
                  rel="noopener noreferrer"
                  className="mt-auto text-xs break-all text-accent underline underline-offset-4"
                >
                  {texts.rules.source}: {source}
                </a>
              )}
            </li>
          ))}
        </ul>
      </section>
    </article>
  );
}
