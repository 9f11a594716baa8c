export function RepairsView({ id }: { readonly id: string }) {
  return <h1 className="p-6 text-xl font-semibold">repairs {id}</h1>;
}
