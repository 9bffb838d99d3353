from application import client_id, client_secret, greeting, issuer, said, serve
from flask import Flask, redirect, request, session, url_for
from requests_oauthlib import OAuth2Session

flask = Flask("application")
flask.secret_key = "of-this-run"


def _client(**further):
    return OAuth2Session(client_id, redirect_uri=url_for("callback", _external=True), **further)


@flask.get("/login")
def login():
    address, session["state"] = _client(**said).authorization_url(f"{issuer}/authorize")
    return redirect(address)


@flask.get("/callback")
def callback():
    if request.args["state"] != session["state"]:
        return "another state", 400
    client = _client()
    # With the code alone, because the complete address would have to be https and this application uses http.
    client.fetch_token(f"{issuer}/token", code=request.args["code"], client_secret=client_secret)
    user = client.get(f"{issuer}/userinfo").json()
    return greeting(user.get("name"), user.get("email")), {"Content-Type": "text/plain"}


serve("/login", lambda base: flask)
