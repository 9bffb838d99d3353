"""A Django site in one file. Each library adds its settings and addresses."""

import django
from application import greeting, serve
from django.conf import settings
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse


def configure(apps, *, backends=(), middleware=(), **further):
    settings.configure(
        SECRET_KEY="of-this-run",
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF="__main__",
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
        DEFAULT_AUTO_FIELD="django.db.models.AutoField",
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        INSTALLED_APPS=[
            "django.contrib.auth",
            "django.contrib.contenttypes",
            "django.contrib.sessions",
            "django.contrib.messages",
            *apps,
        ],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
            "django.contrib.messages.middleware.MessageMiddleware",
            *middleware,
        ],
        AUTHENTICATION_BACKENDS=["django.contrib.auth.backends.ModelBackend", *backends],
        TEMPLATES=[
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "APP_DIRS": True,
                "OPTIONS": {
                    "context_processors": [
                        "django.template.context_processors.request",
                        "django.contrib.auth.context_processors.auth",
                        "django.contrib.messages.context_processors.messages",
                    ]
                },
            }
        ],
        LOGIN_REDIRECT_URL="/",
        **further,
    )
    django.setup()


def home(request):
    user = request.user
    if not user.is_authenticated:
        return HttpResponse("nobody is logged in", status=401)
    return HttpResponse(greeting(user.get_full_name(), user.email), content_type="text/plain")


def run(login):
    call_command("migrate", verbosity=0)
    serve(login, lambda base: get_wsgi_application())
