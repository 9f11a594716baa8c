export function SettingsView() {
  return <h1 className="p-6 text-xl font-semibold">settings</h1>;
}
