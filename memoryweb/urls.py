from django.urls import include, path

urlpatterns = [
    path("api/", include("memoryweb.api.urls")),
    path("", include("memoryweb.web.urls")),
    path("accounts/", include("allauth.urls")),
]

handler400 = "memoryweb.web.errors.bad_request"
handler404 = "memoryweb.web.errors.not_found"
handler500 = "memoryweb.web.errors.server_error"
