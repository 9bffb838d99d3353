"""What the Python applications share, like application.mjs for those in JavaScript."""

import json
import sys
from wsgiref.simple_server import WSGIRequestHandler, make_server

configuration = json.loads(sys.argv[1])
issuer = configuration["issuer"]
client_id = configuration["clientId"]
client_secret = configuration["clientSecret"]
said = configuration["said"]


def greeting(name, email):
    return f"logged in\n{name or ''}\n{email or ''}\n"


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


def serve(login, build):
    """Serves the application that `build` creates for its own address, and prints the address where a login starts."""
    server = make_server("127.0.0.1", 0, None, handler_class=_Quiet)
    base = f"http://127.0.0.1:{server.server_port}"
    server.set_app(build(base))
    print(json.dumps({"login": base + login}), flush=True)
    server.serve_forever()
