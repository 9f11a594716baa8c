export function ThreadView({ id }: { readonly id: string }) {
  return <h1 className="p-6 text-xl font-semibold">thread {id}</h1>;
}
