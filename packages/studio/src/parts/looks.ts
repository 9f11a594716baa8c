/** Classes of elements that the browser draws. */
export const inputLook =
  "w-full min-w-0 rounded-md border border-control bg-surface px-2 py-1 text-[0.9375rem] pointer-coarse:min-h-11 aria-invalid:border-bad";

export const progressLook =
  "h-2 appearance-none overflow-hidden rounded-full bg-raised [&::-moz-progress-bar]:bg-accent-strong [&::-webkit-progress-bar]:bg-raised [&::-webkit-progress-value]:bg-accent-strong";
