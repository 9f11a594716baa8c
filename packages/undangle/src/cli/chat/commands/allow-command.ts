import { preview } from "../../terminal/preview.ts";
import { printBlock, printRemark } from "../view/show-event.ts";
import { setText } from "../view/text-flow.ts";
import { measureIn } from "../view/face.ts";
import type { Talk } from "./slash-command.ts";

/** `/allow` lists allowances; `/allow revoke N` revokes one. */
export async function allowCommand({ desk, thread, agent }: Talk, words: readonly string[]): Promise<void> {
  const allowed = await thread().allowed();
  const word = words[0] === "revoke" ? words[1] : words[0];
  if (words.length > 0) {
    const chosen = allowed[Number(word) - 1];
    if (chosen === undefined) {
      desk.show((view, face) => printRemark(view, face.texts.commands.noAllowance(word ?? ""), face));
      return;
    }
    await (chosen.scope === "agent" ? agent().agent.revoke(chosen.id) : thread().revoke(chosen.id));
    desk.show((view, face) => printRemark(view, face.texts.commands.revoked(chosen.tool), face));
    return;
  }
  desk.show((view, face) => {
    const { texts, paint } = face;
    if (allowed.length === 0) return printRemark(view, texts.commands.nothingAllowed, face);
    const lines = allowed.flatMap(({ tool, scope, arguments: args }, index) =>
      setText(
        texts.commands.allowed({
          number: index + 1,
          tool,
          scope,
          arguments: args === undefined ? undefined : preview(args, 40),
        }),
        measureIn(face),
      ),
    );
    return printBlock(view, "remark", [...lines, paint("dim", texts.commands.revokeHint)], face);
  });
}
