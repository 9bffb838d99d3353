"""Queries the attributes of one NameID with pysaml2, verifies the signature of the response, and prints the attributes as JSON.

Arguments: metadata file of the IdP, its entity id, the address of the attribute query, NameID, its Format.
"""

import json
import sys
import urllib.request
from xml.etree import ElementTree

from saml2 import BINDING_SOAP
from saml2.client import Saml2Client
from saml2.config import SPConfig
from saml2.saml import NameID

# pysaml2 serializes the SAML message again outside its envelope, and the signature stays valid only with the same prefixes.
for prefix, namespace in {
    "saml2p": "urn:oasis:names:tc:SAML:2.0:protocol",
    "saml2": "urn:oasis:names:tc:SAML:2.0:assertion",
    "ds": "http://www.w3.org/2000/09/xmldsig#",
}.items():
    ElementTree.register_namespace(prefix, namespace)

metadata_file, entity_id, address, name, name_format = sys.argv[1:6]

config = SPConfig()
config.load(
    {
        "entityid": "urn:pysaml2",
        "metadata": {"local": [metadata_file]},
        "allow_unknown_attributes": True,
        "service": {
            "sp": {
                "endpoints": {"assertion_consumer_service": [("http://127.0.0.1:9/acs", "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST")]},
                "want_response_signed": True,
                "want_assertions_signed": False,
                "allow_unsolicited": False,
            }
        },
    }
)
client = Saml2Client(config)
query_id, query = client.create_attribute_query(address, name_id=NameID(text=name, format=name_format))
sent = client.apply_binding(BINDING_SOAP, str(query), address, "")
request = urllib.request.Request(sent["url"], data=sent["data"].encode(), headers=dict(sent["headers"]), method="POST")
with urllib.request.urlopen(request) as answer:
    body = answer.read()
message = client.unravel(body, BINDING_SOAP, "response")
# pysaml2 would require a bearer SubjectConfirmation for the whole response, which the response to a query does not need.
response = client.sec.correctly_signed_response(message, must=True, origdoc=message, require_response_signature=True)
[assertion] = response.assertion
print(
    json.dumps(
        {
            "issuer": response.issuer.text,
            "in_response_to": response.in_response_to == query_id,
            "name_id": assertion.subject.name_id.text,
            "attributes": {
                attribute.name: [value.text for value in attribute.attribute_value]
                for statement in assertion.attribute_statement
                for attribute in statement.attribute
            },
        }
    )
)
