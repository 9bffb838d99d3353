from application import client_id, client_secret, issuer
from django_site import configure, home, run

configure(
    ["social_django"],
    backends=["social_core.backends.open_id_connect.OpenIdConnectAuth"],
    SOCIAL_AUTH_OIDC_OIDC_ENDPOINT=issuer,
    SOCIAL_AUTH_OIDC_KEY=client_id,
    SOCIAL_AUTH_OIDC_SECRET=client_secret,
)

from django.http import HttpResponse  # noqa: E402, after the settings
from django.middleware.csrf import get_token  # noqa: E402
from django.urls import include, path  # noqa: E402


def login(request):
    """A button, because the library accepts a login only from a form of the same site."""
    token = f'<input type="hidden" name="csrfmiddlewaretoken" value="{get_token(request)}">'
    return HttpResponse(f'<form method="post" action="/login/oidc/">{token}<button type="submit">Log in</button></form>')


urlpatterns = [path("", home), path("login", login), path("", include("social_django.urls", namespace="social"))]

run("/login")
