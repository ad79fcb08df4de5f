// An address of loopback that nobody else uses. A port of 127.0.0.1 that was given back may be another program's
// in the next moment; the ports of this address are nobody's. Other systems than Linux have 127.0.0.1 only.

export const freeHost = process.platform === "linux" ? "127.66.6.6" : "127.0.0.1";
