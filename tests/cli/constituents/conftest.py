import pytest

CRAFT = "tests/data/craft.mrg"


@pytest.fixture
def craft(request):
    return request.config.rootpath / CRAFT
