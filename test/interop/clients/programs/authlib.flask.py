from application import client_id, client_secret, greeting, issuer, said, serve
from authlib.integrations.flask_client import OAuth
from flask import Flask, url_for

flask = Flask("application")
flask.secret_key = "of-this-run"
identity_provider = OAuth(flask).register(
    "idp",
    client_id=client_id,
    client_secret=client_secret,
    server_metadata_url=f"{issuer}/.well-known/openid-configuration",
    client_kwargs=said,
)


@flask.get("/login")
def login():
    return identity_provider.authorize_redirect(url_for("callback", _external=True))


@flask.get("/callback")
def callback():
    user = identity_provider.authorize_access_token()["userinfo"]
    return greeting(user.get("name"), user.get("email")), {"Content-Type": "text/plain"}


serve("/login", lambda base: flask)
