"""test-idp as a container of a test. Needs the package testcontainers.

    with TestIdpContainer("test-idp:3") as idp:
        idp.issuer, idp.token(user="admin")["access_token"]
"""

import base64
import json
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import HealthcheckWaitStrategy

PORT = 8000


class TestIdpContainer(DockerContainer):
    __test__ = False  # not a test of pytest

    def __init__(self, image: str, **kwargs) -> None:
        super().__init__(image, **kwargs)
        self.with_exposed_ports(PORT)
        self.waiting_for(HealthcheckWaitStrategy())

    @property
    def issuer(self) -> str:
        """The base address, and the issuer of whoever asks there."""
        return f"http://{self.get_container_host_ip()}:{self.get_exposed_port(PORT)}"

    @property
    def discovery_url(self) -> str:
        return f"{self.issuer}/.well-known/openid-configuration"

    def token(self, user=None, client="demo-client", secret="demo-secret", scope=None) -> dict:
        """The token response for a user, or without one for the client by its credentials."""
        asked = {} if scope is None else {"scope": scope}
        if user is not None:
            return self._post(f"/api/users/{quote(user, safe='')}/token", json.dumps(asked), "application/json")
        basic = base64.b64encode(f"{client}:{secret}".encode()).decode()
        form = urlencode({"grant_type": "client_credentials", **asked})
        return self._post("/token", form, "application/x-www-form-urlencoded", f"Basic {basic}")

    def _post(self, path: str, body: str, content_type: str, authorization: str | None = None) -> dict:
        headers = {"Content-Type": content_type}
        if authorization is not None:
            headers["Authorization"] = authorization
        with urlopen(Request(self.issuer + path, body.encode(), headers)) as answer:
            return json.load(answer)
