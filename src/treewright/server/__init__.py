"""Parsers as a service: a page and an API over HTTP, and the REST interface of UDPipe.

It needs Starlette and uvicorn: ``pip install "treewright[serve]"``.  ``treewright serve`` starts it;
`treewright.server.app.make_app` makes the application, for other servers and for tests.
"""
