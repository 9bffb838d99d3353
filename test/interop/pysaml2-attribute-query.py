"""Asks for the attributes of one NameID with pysaml2 and prints them as JSON; the answer's signature is verified.

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

# pysaml2 takes the SAML message out of its envelope by writing it anew, and a signature holds only while the prefixes stay.
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
# Its own reading of the whole answer wants a bearer SubjectConfirmation, which an answer to a query has no use for.
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
