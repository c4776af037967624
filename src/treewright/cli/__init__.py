"""What a person touches: the command line.

Every error that a user can cause ends here, in one line on standard error and a non-zero exit: 1 for bad input,
2 for a bad command line, 130 for Ctrl-C.
"""

from __future__ import annotations

import os
import sys

from treewright.errors import TreewrightError

__all__ = ["main"]

INTERRUPTED = 130


def main() -> None:
    """Run the command line."""
    from treewright.cli.app import app

    try:
        code = app(prog_name="treewright", standalone_mode=False)
        if code == INTERRUPTED:  # the option parser catches Ctrl-C
            raise KeyboardInterrupt
    except TreewrightError as error:
        code = _fail(str(error), 1)
    except KeyboardInterrupt:
        code = _fail("interrupted", INTERRUPTED)
    except SystemExit as exit:
        if not isinstance(exit.__context__, BrokenPipeError):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the reader of our output, such as head, has had enough
        code = 0
    except (OSError, MemoryError) as error:
        code = _fail(f"{type(error).__name__}: {error}", 1)
    except Exception as error:
        code = _usage_error(error)
    sys.exit(code)


def _usage_error(error: Exception) -> int:
    """Report what the option parser found wrong; anything else is a defect of ours and shows where it is."""
    describe = getattr(error, "format_message", None)
    if describe is None:
        raise error
    context, message = getattr(error, "ctx", None), describe()
    if not message:  # nothing was asked for, and the help has been shown
        return 0
    command = context.command_path if context is not None else "treewright"
    return _fail(f"{message} (see {command} --help)", 2)


def _fail(message: str, code: int) -> int:
    from treewright.cli.console import notice

    notice("treewright: error: " + " ".join(message.split()))
    return code
