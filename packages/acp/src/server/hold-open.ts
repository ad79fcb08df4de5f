// The end of an editor's input does not end the connection while a request of it has no answer. Requests are noted as they are read and
// answers as they are written, so one that no handler has seen yet counts too.

import { isRecord } from "@hawser/protocol/internal";
import { createInFlightTable, type Flight, type Incoming, type Transport } from "@hawser/wire/internal";

export function holdOpen(transport: Transport, onInputEnd: () => void) {
  const inFlight = createInFlightTable();
  const flights = new Map<unknown, Flight>();

  function noteRequest(message: unknown): void {
    if (!isRecord(message) || message["jsonrpc"] !== "2.0" || typeof message["method"] !== "string") return;
    const { id } = message;
    if ((typeof id === "string" || typeof id === "number") && !flights.has(id)) flights.set(id, inFlight.begin(String(id)));
  }

  function noteAnswer(message: unknown): void {
    if (!isRecord(message) || "method" in message) return;
    flights.get(message["id"])?.finish();
    flights.delete(message["id"]);
  }

  async function* incoming(): AsyncGenerator<Incoming> {
    for await (const item of transport.incoming) {
      if (item.kind === "message") noteRequest(item.value);
      yield item;
    }
    onInputEnd();
    await inFlight.whenEmpty();
  }

  async function send(message: unknown): Promise<void> {
    try {
      await transport.send(message);
    } finally {
      noteAnswer(message);
    }
  }

  const heldOpen: Transport = { ...transport, incoming: incoming(), send };
  return { heldOpen, whenAnswered: inFlight.whenEmpty };
}
