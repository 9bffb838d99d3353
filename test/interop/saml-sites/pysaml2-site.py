"""A pysaml2 site for one browser: it logs in, shows the user, and starts and answers logouts. Prints its metadata as JSON.

Arguments: port, metadata file of the IdP, key file, certificate file.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlsplit

from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT
from saml2.client import Saml2Client
from saml2.config import SPConfig
from saml2.metadata import entity_descriptor

port, metadata_file, key_file, certificate_file = sys.argv[1:5]
base = f"http://127.0.0.1:{port}"
rsa_sha256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"

config = SPConfig()
config.load(
    {
        "entityid": f"{base}/metadata",
        "metadata": {"local": [metadata_file]},
        "allow_unknown_attributes": True,
        "key_file": key_file,
        "cert_file": certificate_file,
        "service": {
            "sp": {
                "endpoints": {
                    "assertion_consumer_service": [(f"{base}/acs", BINDING_HTTP_POST)],
                    "single_logout_service": [(f"{base}/slo", BINDING_HTTP_REDIRECT)],
                },
                "authn_requests_signed": True,
                "logout_requests_signed": True,
                "logout_responses_signed": True,
                "want_response_signed": False,
                "want_assertions_signed": True,
            }
        },
    }
)
client = Saml2Client(config)
asked = {}
logged_in = {}


class Site(BaseHTTPRequestHandler):
    def log_message(self, format, *arguments):
        pass

    def _answer(self, status, text="", location=None):
        self.send_response(status)
        if location is not None:
            self.send_header("Location", location)
        self.send_header("Content-Type", "application/json")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(text.encode())

    def _lead(self, http_info):
        self._answer(302, location=dict(http_info["headers"])["Location"])

    def do_GET(self):
        address = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(address.query).items()}
        if address.path == "/protected/":
            if "name_id" in logged_in:
                return self._answer(200, json.dumps({"attributes": logged_in["attributes"]}))
            request_id, info = client.prepare_for_authenticate(binding=BINDING_HTTP_REDIRECT, sigalg=rsa_sha256)
            asked[request_id] = "/"
            return self._lead(info)
        if address.path == "/logout":
            for _binding, info in client.global_logout(logged_in["name_id"], sign=True, sign_alg=rsa_sha256).values():
                return self._lead(info)
        if address.path == "/slo" and "SAMLRequest" in query:
            info = client.handle_logout_request(
                query["SAMLRequest"],
                logged_in.get("name_id"),
                BINDING_HTTP_REDIRECT,
                sign=True,
                sign_alg=rsa_sha256,
                relay_state=query.get("RelayState", ""),
            )
            logged_in.clear()
            return self._lead(info)
        if address.path == "/slo":
            response = client.parse_logout_request_response(query["SAMLResponse"], BINDING_HTTP_REDIRECT)
            client.handle_logout_response(response)
            logged_in.clear()
            return self._answer(200, "logged out")
        return self._answer(404)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        message = parse_qs(body)["SAMLResponse"][0]
        response = client.parse_authn_request_response(message, BINDING_HTTP_POST, asked)
        logged_in.update(name_id=response.name_id, attributes=response.ava)
        self._answer(303, location="/protected/")


server = HTTPServer(("127.0.0.1", int(port)), Site)
print(json.dumps({"metadata": str(entity_descriptor(config))}), flush=True)
server.serve_forever()
