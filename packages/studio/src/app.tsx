import { lazy, Suspense } from "react";
import { Redirect, Route, Switch, useLocation } from "wouter";

import { useIsSessionUnknown, useNeedsKey, useScopes } from "./api/session.ts";
import { addressedThread, inboxPlace, useLinkedCall } from "./shell/address.ts";
import { useKeyText } from "./settings/key-text.ts";
import { KeyDialog } from "./shell/key-dialog.tsx";
import { Shell } from "./shell/shell.tsx";
import { ViewBoundary } from "./shell/view-boundary.tsx";
import { shellTexts } from "./texts/shell-texts.ts";
import { useTexts } from "./texts/language.tsx";

const InboxView = lazy(async () => ({ default: (await import("./inbox/inbox-view.tsx")).InboxView }));
const ThreadView = lazy(async () => ({ default: (await import("./thread/thread-view.tsx")).ThreadView }));
const TimelineView = lazy(async () => ({ default: (await import("./timeline/timeline-view.tsx")).TimelineView }));
const RepairsView = lazy(async () => ({ default: (await import("./repairs/repairs-view.tsx")).RepairsView }));
const StudioDoctor = lazy(async () => ({ default: (await import("./doctor/studio-doctor.tsx")).StudioDoctor }));
const SettingsView = lazy(async () => ({ default: (await import("./settings/settings-view.tsx")).SettingsView }));

/** The views by address. Each is loaded when it is opened. */
export function App() {
  const texts = useTexts(shellTexts);
  const [place] = useLocation();
  const needsKey = useNeedsKey();
  const isSessionUnknown = useIsSessionUnknown();
  const hasNewKey = useKeyText() !== undefined; // the server shows it once: it stays until the person has it
  const isDoctor = place.startsWith("/doctor"); // it needs no server
  if (needsKey && !hasNewKey && !isDoctor) return <KeyDialog />;
  const loading = <p className="p-6 text-muted">{texts.loading}</p>;
  if (isSessionUnknown && !isDoctor) return loading;
  return (
    <ViewBoundary place={place}>
      <Shell>
        <ViewBoundary place={place}>
          <Suspense fallback={loading}>
            <Switch>
              <Route path="/">
                <InboxView />
              </Route>
              <Route path="/t/:id">{({ id }) => <AddressedThread key={id} id={addressedThread()} />}</Route>
              <Route path="/t/:id/timeline">{({ id }) => <TimelineView key={id} id={addressedThread()} />}</Route>
              <Route path="/t/:id/repairs">{({ id }) => <RepairsView key={id} id={addressedThread()} />}</Route>
              <Route path="/doctor">
                <StudioDoctor />
              </Route>
              <Route path="/settings">
                <SettingsView />
              </Route>
              <Route>
                <p className="p-6">{texts.noView}</p>
              </Route>
            </Switch>
          </Suspense>
        </ViewBoundary>
      </Shell>
    </ViewBoundary>
  );
}

/** A thread. For a key that decides and reads no threads, a link to a call opens its card in the inbox. */
function AddressedThread({ id }: { readonly id: string }) {
  const call = useLinkedCall();
  const { mayRead, mayDecide } = useScopes();
  if (call !== "" && mayDecide && !mayRead) return <Redirect to={inboxPlace(id, call)} replace />;
  return <ThreadView id={id} />;
}
