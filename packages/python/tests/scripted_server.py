"""Answers requests in the order of a script, and remembers them, as packages/sdk/scenarios/scripted-server.ts does."""

import json
import socket
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any


@dataclass(frozen=True)
class Received:
    method: str
    target: str
    headers: dict[str, str]
    body: bytes


class ScriptedServer:
    """A request beyond the script is answered 418."""

    def __init__(self, exchanges: list[dict[str, Any]]) -> None:
        self.exchanges = exchanges
        self.received: list[Received] = []
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def __getattr__(self, name: str) -> Any:
                if name.startswith("do_"):
                    return self.serve
                raise AttributeError(name)

            def serve(self) -> None:
                owner.serve(self)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> "ScriptedServer":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def silences(self) -> bool:
        """Whether it did not answer the last request."""
        place = len(self.received) - 1
        return 0 <= place < len(self.exchanges) and self.exchanges[place].get("fault") == "silence"

    def serve(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.received.append(Received(request.command, request.path, headers, body))
        place = len(self.received) - 1
        exchange = self.exchanges[place] if place < len(self.exchanges) else {}
        if "fault" in exchange:
            self._hang_up(request)
        else:
            self._answer(request, exchange.get("answer", {"status": 418}))

    def _answer(self, request: BaseHTTPRequestHandler, answer: dict[str, Any]) -> None:
        text = answer.get("text", json.dumps(answer["json"]) if "json" in answer else "")
        content = text.encode()
        request.send_response(answer["status"])
        request.send_header("content-length", str(len(content)))
        for name, value in answer.get("headers", {}).items():
            request.send_header(name, value)
        request.end_headers()
        is_whole = "bodyEnds" not in answer
        request.wfile.write(content if is_whole else content[: len(content) // 2])
        if not is_whole:
            self._hang_up(request)

    def _hang_up(self, request: BaseHTTPRequestHandler) -> None:
        request.close_connection = True
        request.wfile.flush()
        request.connection.shutdown(socket.SHUT_RDWR)
