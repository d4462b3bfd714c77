from django.urls import include, path

urlpatterns = [
    path("api/", include("memoryweb.api.urls")),
    path("accounts/", include("allauth.urls")),
]
