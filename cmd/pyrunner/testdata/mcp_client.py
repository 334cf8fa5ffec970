# A client of the Model Context Protocol that this project did not write: the
# official Python SDK. It prints one JSON object of what it saw.
import asyncio
import json
import os
import sys
import time

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main():
    seen = {"progress": []}

    async def on_progress(progress, total, message):
        seen["progress"].append(message)

    server = StdioServerParameters(command=os.environ["SERVER"], args=["mcp", "--timeout", "60"], env=dict(os.environ))
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        hello = await session.initialize()
        seen["server"] = hello.serverInfo.name
        listed = (await session.list_tools()).tools
        seen["tools"] = sorted(tool.name for tool in listed)
        seen["schemas"] = {tool.name: sorted(tool.inputSchema["properties"]) for tool in listed}

        async def call(name, **arguments):
            result = await session.call_tool(name, arguments, progress_callback=on_progress)
            return {"error": bool(result.isError), "structured": result.structuredContent,
                    "text": "".join(c.text for c in result.content)}

        seen["ok"] = await call("run_python", code="import six\nprint(six.__name__)")
        seen["progress_ok"] = list(seen["progress"])
        seen["fails"] = await call("run_python", code="1/0")
        seen["syntax"] = await call("run_python", code="x ===")
        seen["timeout"] = await call("run_python", code="import time; print(1, flush=True); time.sleep(60)", timeout=1)
        seen["script"] = await call("run_script", path=os.environ["SCRIPT"])
        seen["dependencies"] = await call("dependencies", code="import idna")
        seen["missing"] = await call("run_python")
        seen["extra"] = await call("run_python", code=7)

        pid_file = os.environ["PID_FILE"]
        code = f"import os, time\nopen({pid_file!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)"
        task = asyncio.create_task(session.call_tool("run_python", {"code": code, "timeout": 500}))
        while not (os.path.exists(pid_file) and os.path.getsize(pid_file)):
            await asyncio.sleep(0.05)
        pid = int(open(pid_file).read())
        request = session._request_id - 1  # the SDK sends no notice of its own when a task is cancelled
        from mcp import types
        await session.send_notification(types.ClientNotification(types.CancelledNotification(
            method="notifications/cancelled", params=types.CancelledNotificationParams(requestId=request, reason="test"))))
        task.cancel()
        end = time.time() + 10
        while time.time() < end and alive(pid):
            await asyncio.sleep(0.05)
        seen["cancelled_is_gone"] = not alive(pid)
        seen["after"] = await call("run_python", code="print('still here')")
    print(json.dumps(seen))


def alive(pid):
    try:
        os.kill(pid, 0)
        return True
    except OSError:
        return False


asyncio.run(main())
