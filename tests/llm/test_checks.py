from typing import Any

from memoryweb.llm.endpoint import check_model


def test_no_model_is_a_fine_installation(settings: Any) -> None:
    settings.MODEL_PROVIDER = ""
    assert check_model(None) == []


def test_a_provider_without_a_model_stops_the_start(settings: Any) -> None:
    settings.MODEL_PROVIDER, settings.MODELS = "openai", {"default": ""}
    assert [error.id for error in check_model(None)] == ["llm.E001"]


def test_a_key_that_no_header_can_carry_stops_the_start_without_being_shown(settings: Any) -> None:
    settings.MODEL_PROVIDER, settings.MODELS = "openai", {"default": "m"}
    settings.MODEL_KEY = "first-half\nsecond-half"
    (error,) = check_model(None)
    assert "half" not in str(error.msg)
