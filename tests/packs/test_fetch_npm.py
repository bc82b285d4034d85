"""Packs that come through npm: a real ``npm pack`` against a registry on the loopback."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import shutil
import tarfile
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from rosegen.errors import RosegenError
from rosegen.packs import Pack, fetch
from tests.packs.conftest import entries

MakePack = Callable[..., Pack]


def _tarball() -> bytes:
    manifest = {"name": "@tiny/art", "version": "1.0.0", "scripts": {"prepack": "exit 1"}}
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in {
            "package/package.json": json.dumps(manifest).encode(),
            "package/icons.json": b"{}",
            "package/index.js": b"process.exit(1)",
        }.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


TARBALL = _tarball()
SHA256 = hashlib.sha256(TARBALL).hexdigest()


class _Registry(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        host = f"http://{self.headers['Host']}"
        if self.path.lower().startswith("/@tiny%2fart"):
            integrity = "sha512-" + base64.b64encode(hashlib.sha512(TARBALL).digest()).decode()
            dist = {"tarball": f"{host}/art-1.0.0.tgz", "integrity": integrity}
            version = {"name": "@tiny/art", "version": "1.0.0", "dist": dist}
            body = json.dumps(
                {
                    "name": "@tiny/art",
                    "dist-tags": {"latest": "1.0.0"},
                    "versions": {"1.0.0": version},
                }
            ).encode()
            self._answer(200, body)
        elif self.path == "/art-1.0.0.tgz":
            self._answer(200, TARBALL)
        else:
            self._answer(404, b"{}")

    def _answer(self, code: int, body: bytes) -> None:
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keep the test's output quiet."""


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    with ThreadingHTTPServer(("127.0.0.1", 0), _Registry) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for name in [name for name in os.environ if name.lower().startswith("npm_config_")]:
            monkeypatch.delenv(name)
        monkeypatch.setenv("npm_config_registry", f"http://127.0.0.1:{server.server_port}/")
        monkeypatch.setenv("npm_config_cache", str(tmp_path / "npm cache"))
        monkeypatch.setenv("npm_config_userconfig", str(tmp_path / "npmrc"))
        monkeypatch.setenv("npm_config_fetch_retries", "0")
        monkeypatch.setenv("npm_config_noproxy", "127.0.0.1")
        yield
        server.shutdown()


def test_only_the_listed_files_are_unpacked(
    registry: None, make_pack: MakePack, cache: Path
) -> None:
    pack = make_pack(SHA256, type="npm", package="@tiny/art", version="1.0.0", files=("*",))
    opened = fetch(pack, cache=cache)
    assert opened.files == ("package/icons.json", "package/package.json")
    assert opened.read("package/icons.json") == b"{}"


def test_wrong_hash(registry: None, make_pack: MakePack, cache: Path) -> None:
    pack = make_pack("0" * 64, type="npm", package="@tiny/art", version="1.0.0", files=("*",))
    with pytest.raises(RosegenError, match=f"expected {'0' * 64}, got {SHA256}"):
        fetch(pack, cache=cache)
    assert entries(cache) == []


@pytest.mark.parametrize(("package", "version"), [("@tiny/art", "9.0.0"), ("@tiny/music", "1.0.0")])
def test_a_package_that_cannot_be_had(
    registry: None, make_pack: MakePack, cache: Path, package: str, version: str
) -> None:
    pack = make_pack("0" * 64, type="npm", package=package, version=version, files=("*",))
    with pytest.raises(RosegenError, match=rf"{package} {version} could not .*npm: ") as caught:
        fetch(pack, cache=cache)
    assert "\n" not in str(caught.value)


def test_without_npm(make_pack: MakePack, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    pack = make_pack(SHA256, type="npm", package="@tiny/art", version="1.0.0")
    with pytest.raises(RosegenError, match="npm, which is not installed here"):
        fetch(pack, cache=cache)
