export function DoctorView() {
  return <h1 className="p-6 text-xl font-semibold">doctor</h1>;
}
