export function TimelineView({ id }: { readonly id: string }) {
  return <h1 className="p-6 text-xl font-semibold">timeline {id}</h1>;
}
