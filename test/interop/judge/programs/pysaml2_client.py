"""pysaml2: requires signed Assertions, takes the identity provider from its metadata and rejects unsolicited responses."""

import json
import os
import sys
import tempfile
import urllib.request
from urllib.parse import parse_qs

from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT
from saml2.client import Saml2Client
from saml2.config import SPConfig

from serve import serve

configuration = json.loads(sys.argv[1])
issuer, acs = configuration["issuer"], configuration["acs"]
entity_id = f"{issuer}/saml"


def _service_provider():
    with urllib.request.urlopen(f"{issuer}/saml/metadata") as answer:
        metadata = answer.read()
    with tempfile.NamedTemporaryFile(suffix=".xml", delete=False) as file:
        file.write(metadata)
    provider = SPConfig()
    provider.load(
        {
            "entityid": "https://pysaml2.example",
            "metadata": {"local": [file.name]},
            "allow_unknown_attributes": True,
            "service": {
                "sp": {
                    "endpoints": {"assertion_consumer_service": [(acs, BINDING_HTTP_POST)]},
                    "allow_unsolicited": False,
                    "want_assertions_signed": True,
                    "want_response_signed": False,
                }
            },
        }
    )
    os.unlink(file.name)
    return Saml2Client(provider)


def _login(send):
    client = _service_provider()
    request_id, request = client.prepare_for_authenticate(entityid=entity_id, binding=BINDING_HTTP_REDIRECT)
    posted = parse_qs(send(dict(request["headers"])["Location"]))
    response = client.parse_authn_request_response(posted["SAMLResponse"][0], BINDING_HTTP_POST, {request_id: "/"})
    return response.name_id.text


serve({"login": _login, "metadata": _login})
