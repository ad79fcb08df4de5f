// What a window manager does when the close button of a window is pressed: a message to the window, over the
// X server's own protocol, since a screen without a window manager has no such button.

import { connect } from "node:net";

/** Presses the close button of the one window that has this title. */
export async function pressCloseButton(display: string, title: string): Promise<void> {
  const server = await openDisplay(display);
  try {
    const [protocols, deleteWindow] = [await server.atom("WM_PROTOCOLS"), await server.atom("WM_DELETE_WINDOW")];
    const nameAtom = 39;
    for (const window of await server.children()) {
      const name = await server.property(window, nameAtom);
      if (name !== title || (await server.property(window, protocols)) === "") continue;
      server.sendMessage(window, protocols, deleteWindow);
      // Answered only after the message has been passed on.
      await server.atom("WM_PROTOCOLS");
      return;
    }
    throw new Error(`no window is called ${title}`);
  } finally {
    server.end();
  }
}

interface Display {
  atom(name: string): Promise<number>;
  children(): Promise<number[]>;
  property(window: number, atom: number): Promise<string>;
  sendMessage(window: number, type: number, value: number): void;
  end(): void;
}

async function openDisplay(display: string): Promise<Display> {
  const socket = connect(`/tmp/.X11-unix/X${display.replace(/^:|\..*$/g, "")}`);
  const read = createReader(socket);
  socket.write(Buffer.from([0x6c, 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
  const head = await read(8);
  const setup = await read(head.readUInt16LE(6) * 4);
  const [vendorLength, formats] = [setup.readUInt16LE(16), setup[21] ?? 0];
  const root = setup.readUInt32LE(32 + vendorLength + ((4 - (vendorLength % 4)) % 4) + formats * 8);

  async function ask(request: Buffer): Promise<Buffer> {
    socket.write(request);
    const reply = await read(32);
    if (reply[0] !== 1) throw new Error(`the X server answers with ${reply[0] === 0 ? "an error" : "an event"}`);
    return Buffer.concat([reply, await read(reply.readUInt32LE(4) * 4)]);
  }

  return {
    async atom(name) {
      const padded = Buffer.alloc(Math.ceil(name.length / 4) * 4);
      padded.write(name);
      const reply = await ask(Buffer.concat([request(16, 0, 2 + padded.length / 4, [name.length]), padded]));
      return reply.readUInt32LE(8);
    },
    async children() {
      const reply = await ask(request(15, 0, 2, [root]));
      return Array.from({ length: reply.readUInt16LE(16) }, (_, place) => reply.readUInt32LE(32 + place * 4));
    },
    async property(window, atom) {
      const reply = await ask(request(20, 0, 6, [window, atom, 0, 0, 1_000]));
      return reply.subarray(32, 32 + (reply.readUInt32LE(16) * (reply[1] ?? 0)) / 8).toString("latin1");
    },
    sendMessage(window, type, value) {
      const event = Buffer.alloc(32);
      event.set([33, 32]);
      for (const [place, word] of [window, type, value].entries()) event.writeUInt32LE(word, 4 + place * 4);
      socket.write(Buffer.concat([request(25, 0, 11, [window, 0]), event]));
    },
    end: () => socket.destroy(),
  };
}

/** Its code, a byte, its length in words of four bytes, and words. */
function request(code: number, byte: number, length: number, words: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 + words.length * 4);
  bytes.set([code, byte, length & 0xff, length >> 8]);
  for (const [place, word] of words.entries()) bytes.writeUInt32LE(word, 4 + place * 4);
  return bytes;
}

/** Resolves with exactly so many bytes, one request after the other. */
function createReader(socket: ReturnType<typeof connect>): (size: number) => Promise<Buffer> {
  let bytes = Buffer.alloc(0);
  let wake = (): void => {};
  socket.on("data", (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    wake();
  });
  return async (size) => {
    while (bytes.length < size) await new Promise<void>((resolve) => (wake = resolve));
    const taken = bytes.subarray(0, size);
    bytes = bytes.subarray(size);
    return taken;
  };
}
