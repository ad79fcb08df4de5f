// Files that a user attaches: images and text inside the roots, checked by their content.

import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { readAttachments, type NamedFile } from "../../src/attachments/read-attachments.ts";
import { openInside } from "../../src/tools/files/open-inside.ts";
import { createRoots } from "../../src/tools/files/roots.ts";

const images = {
  "image/png": Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"),
  "image/jpeg": Buffer.from("ffd8ffe000104a464946000101", "hex"),
  "image/gif": Buffer.from("GIF89a\x01\x00\x01\x00", "latin1"),
  "image/webp": Buffer.from("RIFF\x24\x00\x00\x00WEBPVP8 ", "latin1"),
};

let parent: string;
let root: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "hawser-attachments-test-"));
  root = join(parent, "root");
  mkdirSync(root);
  return () => rmSync(parent, { recursive: true, force: true });
});

function put(name: string, content: string | Buffer): string {
  writeFileSync(join(root, name), content);
  return join(root, name);
}

async function read(...files: NamedFile[]): ReturnType<typeof readAttachments> {
  const roots = await createRoots([root]);
  return readAttachments(files, { open: (path) => openInside(roots, path) });
}

const refusal = (code: string, message: RegExp): object => ({ code, message: expect.stringMatching(message) as string });

it("R114 H33 images come as their bytes, text as text, in the given order", async () => {
  const files = Object.entries(images).map(([mime, content], index) => ({ path: put(`${index}`, content), mime }));
  const note = { path: put("note.md", "# Grüße 💥\n"), mime: "text/markdown" };
  const json = { path: put("data.json", "{}"), mime: "application/json; charset=utf-8" };
  const contents = await read(note, ...files, json);
  expect(contents).toEqual([
    { ...note, content: "# Grüße 💥\n" },
    ...files.map(({ path, mime }) => ({ path, mime, content: new Uint8Array(images[mime as keyof typeof images]) })),
    { ...json, content: "{}" },
  ]);
});

it("R114 a type that says nothing is decided by the content; an empty file is text", async () => {
  const unknown = { path: put("a", images["image/png"]), mime: "application/octet-stream" };
  const jpg = { path: put("b", images["image/jpeg"]), mime: "image/jpg" };
  const empty = { path: put("c", ""), mime: "" };
  const drawing = { path: put("d.svg", "<svg/>"), mime: "image/svg+xml" };
  const contents = await read(unknown, jpg, empty, drawing);
  expect(contents.map(({ mime }) => mime)).toEqual(["image/png", "image/jpeg", "text/plain", "image/svg+xml"]);
  expect(contents[2]?.content).toBe("");
});

describe("H33 RUN-09 what is refused, with the path and the reason", () => {
  it.each([
    ["a PNG that is given as JPEG", images["image/png"], "image/jpeg", /content is image\/png/],
    ["an image that is given as text", images["image/gif"], "text/plain", /content is image\/gif/],
    ["text that is given as an image", "hello", "image/png", /not such an image/],
    ["bytes that are no UTF-8", Buffer.from([0x41, 0xff, 0xfe]), "text/plain", /neither an image nor text/],
    ["text with a NUL", "a\0b", "text/plain", /neither an image nor text/],
    ["a type that no model reads", "%PDF-1.7", "application/pdf", /application\/pdf.*can't be attached/],
    ["an image that is cut after seven bytes", images["image/png"].subarray(0, 7), "image/png", /not such an image/],
  ])("%s", async (_name, content, mime, reason) => {
    const path = put("file", content);
    await expect(read({ path, mime })).rejects.toMatchObject({ ...refusal("invalid_message", reason), facts: { path } });
  });

  it("a missing file, a folder, a pipe, a device, a path outside, a link that leads outside", async () => {
    writeFileSync(join(parent, "outside"), "secret");
    symlinkSync(join(parent, "outside"), join(root, "link"));
    execFileSync("mkfifo", [join(root, "pipe")]);
    mkdirSync(join(root, "folder"));
    for (const path of ["missing", "folder", "pipe", "link", "../outside"].map((name) => `${root}/${name}`).concat("/dev/zero", "")) {
      const outcome = read({ path, mime: "text/plain" });
      await expect(outcome).rejects.toMatchObject(refusal("invalid_message", /^attachment "/));
      await expect(outcome).rejects.not.toMatchObject(refusal("invalid_message", /secret/));
    }
  });

  it("what the one who opens lets pass, but is no regular file", async () => {
    const options = { open: async (path: string) => ({ handle: await open(path) }) };
    await expect(readAttachments([{ path: "/dev/zero", mime: "text/plain" }], options)).rejects.toMatchObject(
      refusal("invalid_message", /"\/dev\/zero": it is not a regular file/),
    );
    await expect(readAttachments([{ path: root, mime: "text/plain" }], options)).rejects.toMatchObject(
      refusal("invalid_message", /not a regular file|folder/),
    );
    await expect(readAttachments([{ path: `${root}/x`, mime: "text/plain" }], options)).rejects.toMatchObject(
      refusal("invalid_message", /there is no such file/),
    );
  });

  it("10,000 attachments, without opening one", async () => {
    const files = Array.from({ length: 10_000 }, () => ({ path: "/missing", mime: "text/plain" }));
    await expect(read(...files)).rejects.toMatchObject(refusal("too_large", /^10000 attachments; the limit is 20/));
  });

  it("an image of more than 5 MiB, a text of more than 10 MiB; exactly that is taken", async () => {
    const image = { path: put("image", images["image/png"]), mime: "image/png" };
    const note = { path: put("note", "x".repeat(10_485_760)), mime: "text/plain" };
    truncateSync(image.path, 5_242_880);
    expect((await read(image, note)).map(({ content }) => content.length)).toEqual([5_242_880, 10_485_760]);
    appendFileSync(image.path, "x");
    appendFileSync(note.path, "x");
    await expect(read(image)).rejects.toMatchObject(refusal("too_large", /more than 5242880 bytes/));
    await expect(read(note)).rejects.toMatchObject(refusal("too_large", /more than 10485760 bytes/));
  });

  it("files of more than 16 MiB together", async () => {
    const note = { path: put("note", "x".repeat(5_000_000)), mime: "text/plain" };
    await expect(read(note, note, note)).resolves.toHaveLength(3);
    await expect(read(note, note, note, note)).rejects.toMatchObject(refusal("too_large", /16777216 bytes together/));
  });

  it("a file that grows beyond the limit while it is read", async () => {
    const path = put("growing", "x");
    const handle = await open(path);
    onTestFinished(() => handle.close().catch(() => {}));
    // It says that it is small; what counts is what comes.
    const growing = { stat: async () => ({ size: 1, isFile: () => true }), read: handle.read.bind(handle), close: async () => {} };
    writeFileSync(path, "x".repeat(10_485_761));
    await expect(readAttachments([{ path, mime: "text/plain" }], { open: async () => ({ handle: growing }) })).rejects.toMatchObject(
      refusal("too_large", /more than 10485760/),
    );
  });
});

it("a cancelled message reads no further file", async () => {
  const path = put("note", "x");
  const signal = AbortSignal.abort(new Error("cancelled"));
  const options = { open: (name: string) => Promise.reject(new Error(`opened ${name}`)), signal };
  await expect(readAttachments([{ path, mime: "text/plain" }], options)).rejects.toThrow("cancelled");
});
