export function InboxView() {
  return <h1 className="p-6 text-xl font-semibold">inbox</h1>;
}
