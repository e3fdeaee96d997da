import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import SimpleQueue
from threading import Thread
from typing import Any

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

webhook = Webhook(os.environ["WEBHOOK_SECRET"])
seen: set[str] = set()  # In production a table with the webhook-id as its key, written before the answer.
versions: dict[str, int] = {}  # In production a column of your copies of the records.
inbox: SimpleQueue[dict[str, Any]] = SimpleQueue()


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # The server keeps its connections.
    timeout = 60

    def do_POST(self) -> None:
        # The raw body: the signature covers its bytes, not the parsed JSON.
        length = int(self.headers.get("Content-Length", "0"))
        body = self.rfile.read(max(0, min(length, 1_000_000)))
        try:
            webhook.verify(body, dict(self.headers))
        except (WebhookVerificationError, ValueError):
            print("refused", flush=True)
            self.close_connection = True
            return self.answer(401)
        id = self.headers["webhook-id"]
        if id in seen:
            print("repeated", flush=True)
        else:
            seen.add(id)
            inbox.put(json.loads(body))
        self.answer(204)

    def answer(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()


def apply(type: str, data: dict[str, Any]) -> str:
    if type == "feed.reset":
        return "read all records again"
    version = data.get("version")
    if not version:  # About no record.
        return f"{type} {data.get('status', '')}"
    if version < versions.get(data["resourceId"], 0):
        return "late"
    versions[data["resourceId"]] = version
    return f"{type} {version}"


def work() -> None:
    while True:
        event = inbox.get()
        print(apply(event["type"], event["data"]), flush=True)


Thread(target=work, daemon=True).start()
server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Receiver)
print("listening", flush=True)
server.serve_forever()
