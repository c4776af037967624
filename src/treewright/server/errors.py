"""What a service refuses, and how it says so: an HTTP status, a code for programs, and a line for people."""

from __future__ import annotations

from typing import Any

from treewright.errors import ContradictionError, IntractableError, TreebankError, UsageError

__all__ = ["STATUSES", "ServiceError", "describe_error"]

#: The code of an error → its HTTP status.
STATUSES = {
    "bad_json": 400,
    "bad_request": 400,
    "bad_treebank": 400,
    "unknown_model": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "not_found": 404,
    "method": 405,
    "timeout": 408,
    "stale": 409,
    "body_too_large": 413,
    "too_many_sentences": 413,
    "sentence_too_long": 413,
    "answer_too_large": 413,
    "contradiction": 422,
    "intractable": 422,
    "busy": 429,
    "internal": 500,
}


class ServiceError(Exception):
    """A request is refused.

    Parameters
    ----------
    code : str
        One of `STATUSES`.
    message : str
        One clear line.
    headers : mapping, optional
        Of the answer.
    **more
        What else the answer tells programs, such as the ``limit``.
    """

    def __init__(self, code: str, message: str, headers: dict[str, str] | None = None, **more: Any) -> None:
        super().__init__(message)
        self.code, self.message, self.headers, self.more = code, " ".join(message.split()), headers or {}, more

    @property
    def status(self) -> int:
        """The HTTP status."""
        return STATUSES[self.code]

    def to_dict(self) -> dict[str, Any]:
        """Describe the error as plain data."""
        return {"error": {"code": self.code, "message": self.message, **self.more}}


def describe_error(error: BaseException) -> ServiceError:
    """Say what went wrong with a request; a defect of ours is ``internal``, and tells nothing of the inside.

    Examples
    --------
    >>> describe_error(UsageError("there is no label 'subj'")).to_dict()
    {'error': {'code': 'bad_request', 'message': "there is no label 'subj'"}}
    >>> describe_error(ZeroDivisionError("secret")).code
    'internal'
    """
    if isinstance(error, ServiceError):
        return error
    if isinstance(error, ContradictionError):
        return ServiceError("contradiction", str(error), clash=list(error.clash))
    if isinstance(error, IntractableError):
        return ServiceError("intractable", str(error))
    if isinstance(error, TreebankError):
        return ServiceError("bad_treebank", str(error), line=error.line)
    if isinstance(error, UsageError):
        return ServiceError("bad_request", str(error))
    return ServiceError("internal", "something went wrong here; the log of the server says what")
