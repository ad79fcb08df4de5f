// Skills: which ones count, what is refused and why, and that reading one leads nowhere else.

import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { FileRules } from "../../src/guidance/file-rules.ts";
import { createReadSkill } from "../../src/guidance/read-skill.ts";
import { agentLimits } from "../../src/limits.ts";
import { makeStage, reasonsOf, ruling, skillOf } from "./guidance-stage.ts";

describe("skills", () => {
  it("are found in the project's folders and in the user's own; the model is told names and descriptions", async () => {
    const { top, root, home, write, look, guidance } = makeStage();
    write(join(root, ".agents/skills/tides/SKILL.md"), skillOf("tides", "Computes tides. Use it for harbours."));
    write(join(top, ".claude/skills/release/SKILL.md"), skillOf("release", '"Makes: a release"'));
    write(join(home, "skills/mine/SKILL.md"), skillOf("mine", ">-\n  Folded\n  text"));
    write(join(root, ".agents/skills/no-skill/README.md"), "nothing");
    const { skills, leftOut } = await look();
    expect(skills).toEqual([
      { name: "mine", description: "Folded text", path: join(home, "skills/mine/SKILL.md") },
      { name: "tides", description: "Computes tides. Use it for harbours.", path: join(root, ".agents/skills/tides/SKILL.md") },
      { name: "release", description: "Makes: a release", path: join(top, ".claude/skills/release/SKILL.md") },
    ]);
    expect(leftOut).toBeUndefined();
    expect(guidance.text()).toContain("- tides: Computes tides. Use it for harbours.");
    expect(guidance.text()).not.toContain("# tides");
  });

  it.each([
    ["Bad", skillOf("Bad"), /not made of small letters/],
    ["a--b", skillOf("a--b"), /not made of small letters/],
    ["x".repeat(65), skillOf("x".repeat(65)), /longer than 64/],
    ["bell", skillOf('"be\\u0007l"'), /⟨U\+0007⟩|not made of small letters/],
    ["other", skillOf("another"), /its folder's is not/],
    ["hidden", skillOf("hidden", '"turn \\u202e around"'), /can't be seen/],
    ["zero", skillOf("zero", "a\u200bb"), /can't be seen/],
    ["long", skillOf("long", "x".repeat(1025)), /longer than 1024/],
    ["none", "---\nname: none\n---\n", /no description/],
    ["plain", "# no head\n", /three hyphens/],
    ["open", "---\nname: open\n", /without an end/],
    ["twice", "---\nname: twice\nname: twice\ndescription: d\n---\n", /twice/],
    ["alias", "---\nname: alias\ndescription: *a\n---\n", /not known: line 3/],
    ["binary", Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xff]), /not UTF-8/],
  ])("that don't follow the format are left out with the reason: %s", async (folder, text, reason) => {
    const { root, write, look } = makeStage();
    write(join(root, ".agents/skills", folder, "SKILL.md"), text);
    const status = await look();
    expect(status.skills).toEqual([]);
    expect(reasonsOf(status)).toMatch(reason);
    expect(JSON.stringify(status)).not.toMatch(/[\u0000-\u001f\u200b\u202e]/);
  });

  it("of the user's own count before those of a folder with the same name", async () => {
    const { root, home, write, look } = makeStage();
    write(join(root, ".agents/skills/deploy/SKILL.md"), skillOf("deploy", "Theirs."));
    write(join(home, "skills/deploy/SKILL.md"), skillOf("deploy", "Mine."));
    const status = await look();
    expect(status.skills).toMatchObject([{ description: "Mine." }]);
    expect(reasonsOf(status)).toContain("another skill has its name");
  });

  it("don't lie behind a link out of the folder, neither one nor all of them", async () => {
    const { root, home, write, look } = makeStage();
    write(join(home, "elsewhere/a/SKILL.md"), skillOf("a"));
    mkdirSync(join(root, ".agents/skills"), { recursive: true });
    symlinkSync(join(home, "elsewhere/a"), join(root, ".agents/skills/a"));
    mkdirSync(join(root, ".claude"));
    symlinkSync(join(home, "elsewhere"), join(root, ".claude/skills"));
    const status = await look();
    expect(status.skills).toEqual([]);
    expect(reasonsOf(status)).toMatch(/outside of the allowed folders.*leads out of its folder/);
  });

  it("are bounded in number, and the rest is said", async () => {
    const { root, write, look } = makeStage();
    for (let count = 0; count <= agentLimits.skillEntries; count++)
      write(join(root, `.agents/skills/s${count}/SKILL.md`), skillOf(`s${count}`));
    const status = await look();
    expect(status.skills).toHaveLength(agentLimits.skillEntries);
    expect(reasonsOf(status)).toContain("more than 100 skills");
  });

  it("behind more names than are looked at may be missed, which is said", async () => {
    const { root, write, look } = makeStage();
    write(join(root, ".agents/skills/last/SKILL.md"), skillOf("last"));
    for (let count = 1; count < agentLimits.skillFolderEntries; count++) writeFileSync(join(root, `.agents/skills/${count}`), "");
    expect(reasonsOf(await look())).toBe("");
    writeFileSync(join(root, ".agents/skills/one-more"), "");
    expect(reasonsOf(await look())).toContain("only the first 1000 names");
  });
});

describe("read_skill", () => {
  const context = { signal: new AbortController().signal, progress() {}, log() {}, client: undefined };
  async function withSkill(rulingOn: FileRules = () => undefined) {
    const stage = makeStage({ rulingOn });
    stage.write(join(stage.root, ".agents/skills/tides/SKILL.md"), `${skillOf("tides")}See notes/table.md.\n`);
    stage.write(join(stage.root, ".agents/skills/tides/notes/table.md"), "high: 12:00\n");
    stage.write(join(stage.root, ".agents/skills/tides/run.sh"), "#!/bin/sh\n");
    stage.write(join(stage.root, "secret.txt"), "secret");
    symlinkSync("../../../secret.txt", join(stage.root, ".agents/skills/tides/link.txt"));
    await stage.look();
    const tool = createReadSkill(stage.guidance, rulingOn);
    const read = (args: object): Promise<unknown> => Promise.resolve(tool.run(args as never, context));
    return { ...stage, tool, read, inSkill: (name: string): string => join(stage.root, ".agents/skills/tides", name) };
  }

  it("gives the text, the names of the files beside it, and each of those", async () => {
    const { read, tool } = await withSkill();
    expect(tool.annotations?.readOnlyHint).toBe(true);
    expect(await read({ name: "tides" })).toMatchObject({
      skill: "tides",
      content: expect.stringContaining("# tides"),
      files: expect.arrayContaining(["notes/table.md", "run.sh"]),
    });
    expect(await read({ name: "tides", file: "notes/table.md" })).toMatchObject({ content: "high: 12:00\n" });
  });

  it.each(["../../../secret.txt", "/etc/passwd", "link.txt", "notes", "none.md", "a\0b", ""])(
    "reads nothing outside of the skill's folder: %j",
    async (file) => {
      const { read } = await withSkill();
      await expect(read({ name: "tides", file })).rejects.toThrow(/outside|folder|does not exist|NUL|empty/);
    },
  );

  it("knows the skills by their names alone, and what a rule denies", async () => {
    const { read, inSkill } = await withSkill(ruling("deny", "table.md"));
    await expect(read({ name: "../tides" })).rejects.toThrow(/there is no skill.*there are: tides/);
    symlinkSync("notes/table.md", inSkill("innocent.md"));
    symlinkSync("run.sh", inSkill("also-table.md"));
    for (const file of ["notes/table.md", "innocent.md", "also-table.md"])
      await expect(read({ name: "tides", file }), file).rejects.toThrow("denied: the rule says deny");
    expect(await read({ name: "tides" })).toMatchObject({ files: ["SKILL.md", "innocent.md", "link.txt", "notes/", "run.sh"] });
  });

  it("SEC-04: does not read without a question what a rule asks about, and names the tool that asks", async () => {
    const { read } = await withSkill(ruling("ask", "table.md", "read_file"));
    await expect(read({ name: "tides", file: "notes/table.md" })).rejects.toThrow("denied: the rule says ask; read_file asks the user");
    expect(await read({ name: "tides" })).toMatchObject({ files: expect.arrayContaining(["notes/table.md"]) });
  });

  it("G17: reads the file that the rules have judged, and not what a link has put in its place since", async () => {
    let isSwapped = false;
    const { read, inSkill } = await withSkill((toolName, paths) => {
      if (toolName === "read_file" && paths.some((path) => path.endsWith("run.sh"))) {
        isSwapped = true;
        rmSync(inSkill("run.sh"));
        symlinkSync("notes/table.md", inSkill("run.sh"));
      }
      return ruling("deny", "table.md")(toolName, paths);
    });
    await expect(read({ name: "tides", file: "run.sh" })).rejects.toThrow("is not what was decided about");
    expect(isSwapped).toBe(true);
  });
});
