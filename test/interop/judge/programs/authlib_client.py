"""Authlib's client for Flask as in its documentation. It handles PKCE, state and nonce itself."""

import json
import sys

from authlib.integrations.flask_client import OAuth
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7662 import IntrospectTokenValidator
from flask import Flask

from serve import serve

configuration = json.loads(sys.argv[1])
issuer = configuration["issuer"]


def _application(after_login):
    """A new one for each login, so that nothing remains of the previous one."""
    flask = Flask("judged")
    flask.secret_key = "of-this-run"
    flask.testing = True
    identity_provider = OAuth(flask).register(
        "idp",
        client_id=configuration["clientId"],
        client_secret=configuration["clientSecret"],
        server_metadata_url=f"{issuer}/.well-known/openid-configuration",
        client_kwargs={"scope": "openid email", "code_challenge_method": "S256"},
    )

    @flask.get("/login")
    def login():
        return identity_provider.authorize_redirect(configuration["redirectUri"], max_age=3600)

    @flask.get("/logout")
    def logout():
        return identity_provider.logout_redirect(configuration["afterLogout"], client_id=configuration["clientId"])

    @flask.get("/goodbye")
    def goodbye():
        identity_provider.validate_logout_response()
        return "logged out"

    @flask.get("/callback")
    def callback():
        return after_login(identity_provider, identity_provider.authorize_access_token())

    return flask.test_client()


def _log_in(send, after_login):
    browser = _application(after_login)
    address = browser.get("/login").headers["Location"]
    called = send(address)
    query = called.partition("?")[2]
    return browser.get(f"/callback?{query}").text


def _login(send):
    def after(identity_provider, token):
        claims = token["userinfo"]  # Of the ID token, once that is found good.
        identity_provider.userinfo(token=token)
        return claims["sub"]

    return _log_in(send, after)


def _refresh(send):
    def after(identity_provider, token):
        refreshed = identity_provider.fetch_access_token(grant_type="refresh_token", refresh_token=token["refresh_token"])
        return identity_provider.parse_id_token(refreshed, nonce=None)["sub"]

    return _log_in(send, after)


def _log_out(send):
    browser = _application(None)
    called = send(browser.get("/logout").headers["Location"])
    return browser.get(f"/goodbye?{called.partition('?')[2]}").text


class _Introspection(IntrospectTokenValidator):
    def __init__(self, answer):
        super().__init__()
        self._answer = answer

    def introspect_token(self, token_string):
        return self._answer


def _introspect(send):
    def after(identity_provider, token):
        authenticated = OAuth2Session(configuration["clientId"], configuration["clientSecret"])
        answer = authenticated.introspect_token(f"{issuer}/introspect", token["access_token"]).json()
        validator = _Introspection(answer)
        validator.validate_token(validator.authenticate_token(token["access_token"]), None, None)
        return answer.get("username")

    return _log_in(send, after)


serve({"login": _login, "refresh": _refresh, "introspect": _introspect, "logout": _log_out})
