import type { ReactNode } from "react";

interface AlternativesProps {
  readonly isSecond: boolean;
  readonly one: ReactNode;
  readonly other: ReactNode;
}

/** One of two contents in the space of the larger one, so that what is beside it does not move under the pointer. */
export const Alternatives = ({ isSecond, one, other }: AlternativesProps) => (
  <span className="grid justify-items-center">
    {[one, other].map((content, i) => (
      <span
        key={i}
        className={`col-start-1 row-start-1 inline-flex items-center gap-1.5 ${isSecond === (i === 1) ? "" : "invisible"}`}
      >
        {content}
      </span>
    ))}
  </span>
);
