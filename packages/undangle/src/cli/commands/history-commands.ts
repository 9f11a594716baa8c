// The commands that need the formats but no agent. They are one module, so that they load together and `--help` loads none.
export { assembleCommand } from "./assemble-command.ts";
export { checkCommand } from "./check-command.ts";
export { convertCommand } from "./convert-command.ts";
export { doctorCommand } from "./doctor-command.ts";
export { explainCommand } from "./explain-command.ts";
export { repairCommand } from "./repair-command.ts";
