"""Finds the agents of a fleet with Synadia's agent SDK, and prompts the one with this name.

    pip install synadia-ai-agents
    python3 examples/fleet/prompt_agent.py nats://127.0.0.1:4222 plant "list the files here"

`hawser fleet agent --name plant` is such an agent.
"""

import asyncio
import sys

import nats
from synadia_ai.agents import Agents, DiscoverFilter, ResponseChunk


async def main(servers, name, prompt):
    bus = await nats.connect(servers.split(","))
    agents = Agents(nc=bus)
    try:
        found = await agents.discover(filter=DiscoverFilter(agent="hawser", session_name=name))
        for agent in found:
            print(f"{agent.agent}/{agent.owner}/{agent.session_name} at {agent.prompt_subject}", file=sys.stderr)
        if not found:
            sys.exit(f"there is no agent called {name}; start one with: hawser fleet agent --name {name}")
        async for message in found[0].prompt(prompt):
            if isinstance(message, ResponseChunk):
                print(message.text, end="", flush=True)
        print()
    finally:
        await agents.close()
        await bus.close()


asyncio.run(main(*sys.argv[1:4]))
