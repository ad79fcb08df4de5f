"""Tools of a Python program, offered to a fleet: what `hawser expose --fleet` does for a module, in another language.

    pip install nats-py
    python3 examples/fleet/tool_host.py nats://127.0.0.1:4222 python

The subjects and messages are those of docs/fleet/README.md. A call is one request of the bridge's protocol; its answers go to the
inbox that it names: progress, then one result or one error. An empty answer means that the call still runs.
"""

import asyncio
import hashlib
import json
import platform
import signal
import sys
import time
import uuid

import nats

BEAT_SECONDS = 5
ANNOUNCE_SECONDS = 10


async def add(arguments, progress):
    """Adds two numbers."""
    await progress(1, 2, "adding")
    return arguments["a"] + arguments["b"]


async def wait(arguments, progress):
    """Waits until it is cancelled, or for some seconds."""
    await progress(0, None, "waiting")
    await asyncio.sleep(arguments.get("seconds", 60))
    return "waited"


NUMBER = {"type": "number"}
TOOLS = {
    "add": (add, {"type": "object", "properties": {"a": NUMBER, "b": NUMBER}, "required": ["a", "b"]}),
    "wait": (wait, {"type": "object", "properties": {"seconds": NUMBER}}),
}


class ToolHost:
    def __init__(self, bus, service):
        self.bus = bus
        self.base = f"hawser.tools.{service}"
        schemas = [{"name": name, "description": tool.__doc__, "input_schema": schema} for name, (tool, schema) in TOOLS.items()]
        # One page is enough for a few tools; a page must fit into one message.
        self.page = json.dumps(schemas)
        digest = hashlib.sha256(self.page.encode()).hexdigest()[:32]
        self.announcement = {
            "service": service,
            "id": str(uuid.uuid4()),
            "digest": digest,
            "pages": 1,
            "startedAt": time.time() * 1000,
            "machine": platform.node(),
        }
        self.digest = digest
        self.calls = {}
        self.leaving = asyncio.Event()

    async def announce(self, gone=False):
        await self.say(f"{self.base}.announce", {**self.announcement, "isGone": gone})

    async def say(self, subject, value):
        await self.bus.publish(subject, json.dumps(value).encode())

    async def serve(self):
        # Machines with the same tools share their calls: the queue's name is part of the protocol.
        await self.bus.subscribe(f"{self.base}.call.{self.digest}", queue="hawser", cb=self.on_call)
        await self.bus.subscribe(f"{self.base}.list.{self.digest}", queue="hawser", cb=self.on_list)
        await self.bus.subscribe(f"{self.base}.who", cb=self.on_who)
        await self.bus.subscribe(f"{self.base}.cancel", cb=self.on_cancel)
        await self.bus.subscribe("hawser.fleet.drain", cb=self.on_drain)
        while not self.leaving.is_set():
            await self.announce()
            try:
                await asyncio.wait_for(self.leaving.wait(), ANNOUNCE_SECONDS)
            except asyncio.TimeoutError:
                pass
        await self.announce(gone=True)
        # What runs is finished.
        await asyncio.gather(*self.calls.values(), return_exceptions=True)

    async def on_list(self, message):
        await message.respond(self.page.encode() if message.data == b"0" else b"[]")

    async def on_who(self, _):
        await self.announce()

    async def on_cancel(self, message):
        call = self.calls.get(message.data.decode())
        if call:
            call.cancel()

    async def on_drain(self, message):
        if message.data.decode() in (self.announcement["service"], self.announcement["id"]):
            self.leaving.set()

    async def on_call(self, message):
        # A task of its own, so that calls run side by side and a cancel is heard meanwhile.
        call = asyncio.create_task(self.answer(message.reply, message.data))
        self.calls[message.reply] = call
        call.add_done_callback(lambda _: self.calls.pop(message.reply, None))

    async def answer(self, reply, data):
        beat = asyncio.create_task(self.beat(reply))
        try:
            answer = {"result": await self.run(reply, json.loads(data))}
        except asyncio.CancelledError:
            answer = {"error": {"message": "the client cancelled the call", "type": "IPCError"}}
        except Exception as error:  # Whatever a tool raises is the answer to its call.
            answer = {"error": {"message": str(error) or type(error).__name__, "type": "IPCToolExecutionError"}}
        finally:
            beat.cancel()
        await self.say(reply, answer)

    async def run(self, reply, request):
        name, arguments = request["params"]["name"], request["params"]["arguments"]
        if name not in TOOLS:
            return {"content": [{"type": "text", "text": f"there is no tool {name}"}], "isError": True}

        async def progress(done, total, message):
            known = {"progress": done, "total": total, "message": message}
            await self.say(reply, {"progress": {key: value for key, value in known.items() if value is not None}})

        result = await TOOLS[name][0](arguments, progress)
        return {"content": [{"type": "text", "text": str(result)}]}

    async def beat(self, reply):
        while True:
            await self.bus.publish(reply, b"")
            await asyncio.sleep(BEAT_SECONDS)


async def main(servers, service):
    bus = await nats.connect(servers.split(","))
    host = ToolHost(bus, service)
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, host.leaving.set)
    print(f"offers {', '.join(TOOLS)} as {service}", file=sys.stderr, flush=True)
    await host.serve()
    await bus.drain()


asyncio.run(main(*sys.argv[1:3]))
