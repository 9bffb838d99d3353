"""A service provider with pysaml2. Each call runs one step and prints JSON.

Arguments: step, its entity id, its ACS, metadata file of the IdP, key file, certificate file. For `answer` also the file with
the base64 of the Response, and the ID of the request, which is empty for an unsolicited Response.
"""

import json
import sys

from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT
from saml2.client import Saml2Client
from saml2.config import SPConfig
from saml2.metadata import entity_descriptor

step, entity_id, acs, metadata_file, key_file, certificate_file = sys.argv[1:7]

config = SPConfig()
config.load(
    {
        "entityid": entity_id,
        "metadata": {"local": [metadata_file]},
        "allow_unknown_attributes": True,
        "key_file": key_file,
        "cert_file": certificate_file,
        "encryption_keypairs": [{"key_file": key_file, "cert_file": certificate_file}],
        "service": {
            "sp": {
                "endpoints": {"assertion_consumer_service": [(acs, BINDING_HTTP_POST)]},
                "authn_requests_signed": True,
                "want_response_signed": False,
                "want_assertions_signed": True,
                "allow_unsolicited": step == "answer" and sys.argv[8] == "",
            }
        },
    }
)
client = Saml2Client(config)

if step == "metadata":
    print(json.dumps({"metadata": str(entity_descriptor(config))}))
elif step == "ask":
    request_id, info = client.prepare_for_authenticate(
        relay_state="state", binding=BINDING_HTTP_REDIRECT, sigalg="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
    )
    print(json.dumps({"id": request_id, "url": dict(info["headers"])["Location"]}))
else:
    with open(sys.argv[7], encoding="ascii") as file:
        message = file.read()
    request_id = sys.argv[8]
    response = client.parse_authn_request_response(
        message, BINDING_HTTP_POST, {request_id: "/"} if request_id else {}
    )
    print(json.dumps({"name_id": response.name_id.text, "attributes": response.ava}))
