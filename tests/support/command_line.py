"""The installed command ``skmetrics-ext``, run in this process."""

from importlib.metadata import entry_points

(_command,) = entry_points(group="console_scripts", name="skmetrics-ext")
main = _command.load()
