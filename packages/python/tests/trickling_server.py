"""Sends a byte now and then, for some seconds: no wait for the next one is long."""

import socket
import threading
from types import TracebackType

ANSWER_WITHOUT_END = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\n\r\n"


class TricklingServer:
    def __init__(self, head: bytes) -> None:
        self._head = head
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._is_closed = threading.Event()
        self.was_left = threading.Event()
        """Set when the client has closed its connection."""
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def __enter__(self) -> "TricklingServer":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._is_closed.set()
        self._listening.close()
        self._thread.join()

    def _serve(self) -> None:
        connection, _ = self._listening.accept()
        with connection:
            try:
                connection.recv(65536)
                connection.sendall(self._head)
                for _ in range(250):
                    if self._is_closed.wait(0.02):
                        break
                    connection.sendall(b" ")
            except OSError:
                self.was_left.set()
