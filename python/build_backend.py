"""Builds the wheel and the source distribution of `quipu-broker` with the standard library alone (PEP 517).

The same sources give the same bytes. `npm run pack` runs this file as a program with the folder of the npm package, whose files
are the bundle inside the wheel. `python3 -m build` in a checkout makes that folder first, which needs Node. A source
distribution has the bundle, so that a wheel of it needs no Node.
"""

import argparse
import base64
import csv
import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.join(HERE, "quipu")
NAME = "quipu-broker"
FILE_NAME = "quipu_broker"
TAG = "py3-none-any"
# npm gives the files of its packages the same time: 26 October 1985.
ZIP_TIME = (1985, 10, 26, 8, 15, 0)
TAR_TIME = 499162500

ENTRY_POINTS = """\
[console_scripts]
quipu = quipu.command:main
quipu-broker = quipu.command:main

[pytest11]
quipu = quipu.pytest_plugin
"""


# The hooks of PEP 517


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with _bundle(config_settings) as bundle:
        return write_wheel(bundle.folder, wheel_directory)


def build_sdist(sdist_directory, config_settings=None):
    with _bundle(config_settings) as bundle:
        return write_sdist(bundle.folder, sdist_directory)


class _bundle:
    """The files of the npm package: those of a source distribution, of `-C bundle=FOLDER`, or made by the checkout."""

    def __init__(self, config_settings):
        self.made = None
        inside = os.path.join(PACKAGE, "bundle")
        chosen = (config_settings or {}).get("bundle")
        self.folder = inside if os.path.isdir(inside) else chosen

    def __enter__(self):
        if self.folder is None:
            self.made = tempfile.mkdtemp(prefix="quipu-bundle-")
            self.folder = os.path.join(self.made, "bundle")
            _make_bundle(self.folder)
        return self

    def __exit__(self, *error):
        if self.made is not None:
            shutil.rmtree(self.made, ignore_errors=True)


def _make_bundle(folder):
    npx = shutil.which("npx")
    if npx is None or not os.path.isdir(os.path.join(HERE, "..", "node_modules")):
        raise SystemExit("a build in a checkout needs Node and the packages of the checkout: run `npm ci` first")
    # Node of the checkout: the one of the PATH may be older.
    subprocess.run([npx, "node", os.path.join("packaging", "broker-package.ts"), folder], cwd=os.path.join(HERE, ".."), check=True)


def write_wheel(bundle, folder):
    """Writes the wheel into a folder and returns its file name."""
    version = _version(bundle)
    info = f"{FILE_NAME}-{version}.dist-info"
    files = _package_files(bundle)
    files[f"{info}/LICENSE"] = _read(os.path.join(bundle, "LICENSE"))
    files[f"{info}/METADATA"] = _metadata(bundle, version)
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: quipu\nRoot-Is-Purelib: true\nTag: {TAG}\n".encode()
    files[f"{info}/entry_points.txt"] = ENTRY_POINTS.encode()
    files[f"{info}/RECORD"] = _record(files, f"{info}/RECORD")
    name = f"{FILE_NAME}-{version}-{TAG}.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w") as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, ZIP_TIME)
            entry.create_system = 3  # Unix, also when it is built on Windows.
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)
    return name


def write_sdist(bundle, folder):
    """Writes the source distribution into a folder and returns its file name."""
    version = _version(bundle)
    name = f"{FILE_NAME}-{version}"
    files = _package_files(bundle)
    for file in ("README.md", "build_backend.py", "pyproject.toml"):
        files[file] = _read(os.path.join(HERE, file))
    files["LICENSE"] = _read(os.path.join(bundle, "LICENSE"))
    files["PKG-INFO"] = _metadata(bundle, version)
    path = os.path.join(folder, name + ".tar.gz")
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for file_path, content in files.items():
                entry = tarfile.TarInfo(f"{name}/{file_path}")
                entry.size, entry.mtime, entry.mode = len(content), TAR_TIME, 0o644
                archive.addfile(entry, io.BytesIO(content))
    return name + ".tar.gz"


def _package_files(bundle):
    """The modules, and the bundle beside them, by path."""
    modules = {
        f"quipu/{file}": _read(os.path.join(PACKAGE, file))
        for file in sorted(os.listdir(PACKAGE))
        if file.endswith((".py", ".typed"))
    }
    bundled = {}
    for folder, _, files in os.walk(bundle):
        for file in files:
            path = os.path.join(folder, file)
            if not file.endswith(".pyc"):
                bundled["quipu/bundle/" + os.path.relpath(path, bundle).replace(os.sep, "/")] = _read(path)
    return {**modules, **dict(sorted(bundled.items()))}


def _metadata(bundle, version):
    with open(os.path.join(bundle, "package.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    fields = [
        ("Metadata-Version", "2.1"),
        ("Name", NAME),
        ("Version", version),
        ("Summary", manifest["description"]),
        ("License", manifest["license"]),
        ("Classifier", "Framework :: Pytest"),
        ("Classifier", "Operating System :: OS Independent"),
        ("Classifier", "Programming Language :: Python :: 3"),
        ("Classifier", "Typing :: Typed"),
        ("Requires-Python", ">=3.8"),
        ("Description-Content-Type", "text/markdown"),
    ]
    lines = [f"{name}: {value}\n" for name, value in fields]
    return "".join([*lines, "\n"]).encode() + _read(os.path.join(HERE, "README.md"))


def _version(bundle):
    """The version of the npm package, in the form of Python: 1.2.0-rc.1 is 1.2.0rc1."""
    with open(os.path.join(bundle, "package.json"), encoding="utf-8") as file:
        version = json.load(file)["version"]
    match = re.fullmatch(r"(\d+\.\d+\.\d+)(?:-(alpha|beta|rc)\.?(\d+))?", version)
    if match is None:
        raise SystemExit(f"the version {version} has no form in Python: expected 1.2.3 or 1.2.3-rc.1")
    number, stage, count = match.groups()
    return number if stage is None else number + {"alpha": "a", "beta": "b", "rc": "rc"}[stage] + count


def _record(files, own_path):
    """The list of all files with their hashes; the list itself has none."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        rows.writerow([path, f"sha256={digest}", len(content)])
    rows.writerow([own_path, "", ""])
    return text.getvalue().encode()


def _read(path):
    with open(path, "rb") as file:
        return file.read()


def main():
    options = argparse.ArgumentParser(description="Write the wheel of quipu-broker, and print its path and size as JSON.")
    options.add_argument("--bundle", required=True, help="folder of the npm package")
    options.add_argument("--out", required=True, help="folder of the wheel")
    values = options.parse_args()
    os.makedirs(values.out, exist_ok=True)
    file = os.path.join(values.out, write_wheel(values.bundle, values.out))
    with zipfile.ZipFile(file) as wheel:
        unpacked = sum(entry.file_size for entry in wheel.infolist())
    print(json.dumps({"file": file, "bytes": os.path.getsize(file), "unpackedBytes": unpacked}))


if __name__ == "__main__":
    sys.exit(main())
