"""A time that passes when something waits, and when the server says that it will not answer."""

import threading

import httpx

from .scripted_server import ScriptedServer


class ScenarioClock:
    def __init__(self) -> None:
        self.pauses: list[float] = []
        self.passed = 0.0

    def now(self) -> float:
        return self.passed

    def sleep(self, seconds: float, stop: threading.Event) -> None:
        self.pauses.append(seconds)
        self.passed += seconds


class HastyTransport(httpx.HTTPTransport):
    """On sockets. Where the server is silent, it closes the connection, which is here the end of the time that was given."""

    def __init__(self, server: ScriptedServer, clock: ScenarioClock) -> None:
        # To read the certificates of the machine takes longer than a scenario.
        super().__init__(verify=False)
        self._server, self._clock = server, clock

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        try:
            return super().handle_request(request)
        except (httpx.RemoteProtocolError, httpx.ReadError):
            if not self._server.silences:
                raise
            self._clock.passed += request.extensions["timeout"]["read"]
            raise httpx.ReadTimeout("silence") from None
