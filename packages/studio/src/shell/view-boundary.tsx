import { Component } from "react";
import type { ReactNode } from "react";

import { Failure } from "../parts/failure.tsx";

interface ViewBoundaryProps {
  /** The address. At another one the view is shown again. */
  readonly place: string;
  readonly children: ReactNode;
}

interface ViewBoundaryState {
  readonly place: string;
  readonly failure: { readonly error: unknown } | undefined;
}

/** Shows the error of a view in its place, so that the rest of the page stays usable. React offers this for classes only. */
export class ViewBoundary extends Component<ViewBoundaryProps, ViewBoundaryState> {
  override state: ViewBoundaryState = { place: this.props.place, failure: undefined };

  static getDerivedStateFromError(error: unknown): Partial<ViewBoundaryState> {
    return { failure: { error } };
  }

  static getDerivedStateFromProps({ place }: ViewBoundaryProps, state: ViewBoundaryState): ViewBoundaryState | null {
    return place === state.place ? null : { place, failure: undefined };
  }

  override render(): ReactNode {
    const { failure } = this.state;
    // After an upgrade of the server the files of the old page are gone. Only a new page can load the new ones.
    return failure === undefined ? (
      this.props.children
    ) : (
      <Failure error={failure.error} onRetry={() => location.reload()} />
    );
  }
}
