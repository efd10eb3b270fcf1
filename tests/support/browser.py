"""A headless Chromium, driven by the DevTools protocol over a pipe: no package is needed."""

import base64
import json
import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--hide-scrollbars", "--remote-debugging-pipe",
)  # fmt: skip
# The browser reads its pipe as 3 and writes it as 4.
START = """
import fcntl, os, sys
read, write = (fcntl.fcntl(int(fd), fcntl.F_DUPFD, 20) for fd in sys.argv[1:3])
os.dup2(read, 3)
os.dup2(write, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


def path():
    """Where the browser is; None where there is none, or no pipes of POSIX to speak with it."""
    if os.name != "posix":
        return None
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One tab. `log` holds what it wrote on its console, errors among it, and what it asked for."""

    def __init__(self, folder):
        down, up = os.pipe(), os.pipe()
        read, write = down[0], up[1]
        browser = [path(), *OPTIONS, f"--user-data-dir={folder / 'profile'}", "about:blank"]
        command = [sys.executable, "-c", START, str(read), str(write), *browser]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, pass_fds=(read, write), **quiet)
        os.close(read)
        os.close(write)
        self.to, self.back = os.fdopen(down[1], "wb"), os.fdopen(up[0], "rb")
        self.number, self.rest, self.log, self.requests = 0, b"", [], []
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.session = None
        self.call("Browser.close")
        self.process.wait(30)
        self.to.close()
        self.back.close()

    def _message(self):
        while b"\0" not in self.rest:
            part = self.back.read1(1 << 20)
            assert part, "the browser went away"
            self.rest += part
        message, _, self.rest = self.rest.partition(b"\0")
        told = json.loads(message)
        params = told.get("params", {})
        match told.get("method"):
            case "Runtime.exceptionThrown":
                self.log.append(params["exceptionDetails"].get("exception", {}).get("description"))
            case "Runtime.consoleAPICalled":
                self.log.append(params["args"])
            case "Log.entryAdded":
                self.log.append(params["entry"]["text"])
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])
        return told

    def call(self, method, **params):
        self.number += 1
        asked = {"id": self.number, "method": method, "params": params}
        if self.session is not None:
            asked["sessionId"] = self.session
        self.to.write(json.dumps(asked).encode() + b"\0")
        self.to.flush()
        while (told := self._message()).get("id") != self.number:
            pass
        assert "error" not in told, told
        return told["result"]

    def open(self, page, width=1440, height=900, *, dark=False, scripts=True):
        """Show a file."""
        self.log.clear()
        self.requests.clear()
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.call("Page.navigate", url=page.as_uri())
        while self._message().get("method") != "Page.loadEventFired":
            pass

    def ask(self, expression):
        """The value of an expression in the page."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def press(self, key, code, text=""):
        about = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **about)
        self.call("Input.dispatchKeyEvent", type="keyUp", **about)

    def screenshot(self, target):
        """The whole page as a picture."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        found = self.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        target.write_bytes(base64.b64decode(found["data"]))

    def printed(self, target):
        """The page as it is printed."""
        target.write_bytes(base64.b64decode(self.call("Page.printToPDF")["data"]))
