import type { ComponentProps } from "react";

const looks = {
  plain: "border-control bg-surface text-ink hover:bg-raised",
  main: "border-transparent bg-accent-strong text-white hover:brightness-110",
  danger: "border-transparent bg-bad-strong text-white hover:brightness-110",
  quiet: "border-transparent text-ink hover:bg-raised",
} as const;

export interface ButtonProps extends ComponentProps<"button"> {
  readonly look?: keyof typeof looks;
}

/** A button, at least 44 px high on touch screens. */
export function Button({ look = "plain", className = "", type = "button", ...rest }: ButtonProps) {
  return (
    <button
      type={type}
      className={`inline-flex min-h-9 items-center justify-center gap-1.5 rounded-md border px-3 py-1 text-sm font-medium pointer-coarse:min-h-11 disabled:cursor-not-allowed disabled:opacity-60 aria-disabled:cursor-default aria-disabled:opacity-60 aria-expanded:border-accent aria-expanded:bg-accent-soft aria-pressed:border-accent aria-pressed:bg-accent-soft forced-colors:aria-expanded:underline forced-colors:aria-pressed:underline ${looks[look]} ${className}`}
      {...rest}
    />
  );
}
