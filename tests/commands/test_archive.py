"""A backup is one file that tells whether it is whole, and the one that was made."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from memoryweb import __version__
from memoryweb.commands import restoring
from memoryweb.core import archive
from memoryweb.core.archive import BackupRefused
from tests.workers import ROOT

SAID = {"format": restoring.FORMAT}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    made = {"database": tmp_path / "one", "a.jsonl": tmp_path / "two"}
    made["database"].write_bytes(bytes(range(256)) * 9000)  # more than two pieces
    made["a.jsonl"].write_bytes(b"{}\n")
    return made


@pytest.fixture
def room(tmp_path: Path) -> Path:
    (tmp_path / "room").mkdir()
    return tmp_path / "room"


def pack(files: Mapping[str, Path], passphrase: bytes = b"") -> Path:
    path = files["database"].with_name("kept")
    archive.pack(path, files, SAID, restoring.sign, passphrase)
    return path


def unpack(path: Path, room: Path, passphrase: bytes = b"") -> archive.Manifest:
    return archive.unpack(path, room, restoring.check, passphrase)


@pytest.mark.parametrize("passphrase", [b"", b"correct horse"])
def test_what_was_packed_comes_out(files: dict[str, Path], room: Path, passphrase: bytes) -> None:
    path = pack(files, passphrase)
    assert unpack(path, room, passphrase)["format"] == 1
    assert {one.name: one.read_bytes() for one in room.iterdir()} == {
        name: one.read_bytes() for name, one in files.items()
    }
    assert (bytes(range(256)) in path.read_bytes()) is not bool(passphrase)
    assert path.stat().st_mode & 0o077 == 0


def test_a_wrong_passphrase_is_told(files: dict[str, Path], room: Path) -> None:
    path = pack(files, b"correct horse")
    with pytest.raises(BackupRefused, match="the passphrase is another one"):
        unpack(path, room, b"battery staple")
    with pytest.raises(BackupRefused, match="is encrypted"):
        unpack(path, room)


def test_a_passphrase_for_none_is_told(files: dict[str, Path], room: Path) -> None:
    with pytest.raises(BackupRefused, match="is not encrypted"):
        unpack(pack(files), room, b"correct horse")


@pytest.mark.parametrize("passphrase", [b"", b"correct horse"])
@pytest.mark.parametrize("left", [0, 1, 40, 1 << 20, (1 << 20) + 51, (2 << 20) + 67, -1])
def test_one_that_was_cut_off_is_refused(
    files: dict[str, Path], room: Path, passphrase: bytes, left: int
) -> None:
    path = pack(files, passphrase)
    path.write_bytes(path.read_bytes()[:left])
    if passphrase or left != -1:  # a tar ends with zeros that nobody misses
        with pytest.raises(BackupRefused):
            unpack(path, room, passphrase)


@pytest.mark.parametrize("passphrase", [b"", b"correct horse"])
@pytest.mark.parametrize("at", [60, 700, 1500, 700_000, 1_500_000])
def test_one_that_was_changed_is_refused(
    files: dict[str, Path], room: Path, passphrase: bytes, at: int
) -> None:
    path = pack(files, passphrase)
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)
    with pytest.raises(BackupRefused):
        unpack(path, room, passphrase)


def test_one_of_another_key_is_refused(
    files: dict[str, Path], room: Path, settings: object
) -> None:
    path = pack(files)
    vars(settings)  # the fixture's own
    settings.CHECKPOINT_SECRET = "another"  # type: ignore[attr-defined]
    with pytest.raises(BackupRefused, match="another checkpoint-key"):
        unpack(path, room)


def test_nothing_is_written_over(files: dict[str, Path]) -> None:
    path = pack(files)
    before = path.read_bytes()
    with pytest.raises(FileExistsError):
        pack(files)
    assert path.read_bytes() == before
    assert not list(path.parent.glob("*.part"))


def test_the_version_is_the_project_s() -> None:
    assert f'version = "{__version__}"' in (ROOT / "pyproject.toml").read_text()
