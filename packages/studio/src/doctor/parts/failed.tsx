import { ExactText } from "../../parts/text/exact-text.tsx";
import { useTexts } from "../../texts/language.tsx";
import { doctorTexts } from "../../texts/doctor-texts.ts";

/** Why there is no report. Without a message, the worker could not be loaded. */
export function Failed({ message }: { readonly message: string }) {
  const texts = useTexts(doctorTexts);
  return (
    <p role="alert" className="rounded-md border border-bad bg-bad-soft p-3 text-bad">
      {message === "" ? texts.notLoaded : <ExactText text={texts.failed(message)} />}
    </p>
  );
}
