#!/usr/bin/env python3
"""Compare the headers of DuckDB in internal/duck/include with DuckDB's source release.

They must be exactly the headers that internal/duck/ext includes, directly or not, of the version
that internal/duck/ext/version.cc names. The release is the source distribution of the package
duckdb on PyPI, which pip downloads to .cache/duckdb. With --update, the headers are replaced by
those of the release. See docs/DUCKDB.md.
"""

import argparse
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXT = ROOT / "internal/duck/ext"
INCLUDE = ROOT / "internal/duck/include"

# Folders of the release, and where their headers are in internal/duck/include.
FOLDERS = {
    "src/include": ".",
    "extension/parquet/include": "parquet",
    "third_party/fastpforlib": "fastpforlib",
    "third_party/miniz": "miniz",
    "third_party/parquet": "parquet_types",
    "third_party/re2": "re2",
    "third_party/thrift": "thrift",
    "third_party/zstd/include": "zstd",
}
LICENSES = {
    "LICENSE": "duckdb/LICENSE",
    "third_party/fastpforlib/LICENSE": "fastpforlib/LICENSE",
    "third_party/miniz/LICENSE": "miniz/LICENSE",
    "third_party/parquet/LICENSE": "parquet_types/LICENSE",
    "third_party/re2/LICENSE": "re2/LICENSE",
    "third_party/zstd/LICENSE": "zstd/LICENSE",
}

# What internal/duck/ext assumes and no header says: lines of DuckDB's source files.
ASSUMED = {
    "extension/parquet/parquet_multi_file_info.cpp": [
        # scan_progress.cc
        (
            "struct ParquetReadLocalState : public LocalTableFunctionState {\n"
            "\tParquetReaderScanState scan_state;"
        ),
    ],
    # The casts of C handles to C++ objects.
    "src/main/capi/duckdb-c.cpp": [
        "Connection *conn = reinterpret_cast<Connection *>(connection);"
    ],
    "src/main/capi/data_chunk-c.cpp": [
        "reinterpret_cast<duckdb::DataChunk *>(chunk)",
        "reinterpret_cast<duckdb::Vector *>(vector)",
    ],
    "src/main/capi/logical_types-c.cpp": ["reinterpret_cast<duckdb::LogicalType *>(type)"],
    "src/main/capi/prepared-c.cpp": ["reinterpret_cast<duckdb_prepared_statement>(wrapper)"],
    # limit_like.cc
    "src/include/duckdb/function/scalar/string_common.hpp": [
        "idx_t LowerLength(const char *input_data, idx_t input_length);",
        "void LowerCase(const char *input_data, idx_t input_length, char *result_data);",
    ],
}


def version() -> str:
    found = re.search(r'version = "v([0-9.]+)"', (EXT / "version.cc").read_text())
    if not found:
        sys.exit("internal/duck/ext/version.cc names no version")
    return found[1]


def release(number: str) -> Path:
    """Return the folder of DuckDB's sources of a version, downloaded if it is not there yet."""
    cache = ROOT / ".cache/duckdb"
    folder = cache / f"duckdb-{number}"
    if not folder.is_dir():
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        wanted = ["--no-binary", "duckdb", "--dest", str(cache), f"duckdb=={number}"]
        subprocess.run(pip + wanted, check=True)
        with tarfile.open(cache / f"duckdb-{number}.tar.gz") as archive:
            archive.extractall(cache, filter="data")
    return folder / "external/duckdb"


def included(sources: Path) -> dict[Path, Path]:
    """Return the headers that the package includes: from the path in INCLUDE to the release's."""
    compiler = [os.environ.get("CXX", "c++"), "-std=c++11", "-DDUCKDB_STATIC_BUILD", "-DNDEBUG"]
    compiler += ["-M", *(f"-I{sources / folder}" for folder in FOLDERS)]
    files = sorted(str(path) for path in EXT.glob("*.cc"))
    rules = subprocess.run([*compiler, *files], check=True, capture_output=True, text=True).stdout
    headers = {}
    for word in rules.replace("\\\n", " ").split():
        path = Path(os.path.normpath(word))
        for folder, name in FOLDERS.items():
            if path.is_relative_to(sources / folder):
                headers[Path(name) / path.relative_to(sources / folder)] = path
    headers.update((Path(ours), sources / theirs) for theirs, ours in LICENSES.items())
    return headers


def vendored() -> set[Path]:
    paths = (path.relative_to(INCLUDE) for path in INCLUDE.rglob("*") if path.is_file())
    return {path for path in paths if path != Path("README.md")}


def unfulfilled(sources: Path) -> list[str]:
    return [
        f"{path} has no longer:\n{text}"
        for path, texts in ASSUMED.items()
        for text in texts
        if text not in (sources / path).read_text()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--update", action="store_true", help="replace what differs")
    parser.add_argument("--source", type=Path, help="a folder of DuckDB's sources, not PyPI's")
    options = parser.parse_args()
    sources = options.source.resolve() if options.source else release(version())
    headers, ours = included(sources), vendored()
    differ = {
        path
        for path, theirs in headers.items()
        if path not in ours or (INCLUDE / path).read_bytes() != theirs.read_bytes()
    }
    unneeded = ours - headers.keys()
    for path in sorted(differ):
        print(f"{'differs' if path in ours else 'missing'}: {path}")
    for path in sorted(unneeded):
        print(f"not needed: {path}")
    if options.update:
        for path in differ:
            (INCLUDE / path).parent.mkdir(parents=True, exist_ok=True)
            (INCLUDE / path).write_bytes(headers[path].read_bytes())
        for path in unneeded:
            (INCLUDE / path).unlink()
    broken = unfulfilled(sources)
    for text in broken:
        print(text)
    if broken or (not options.update and (differ or unneeded)):
        sys.exit(1)
    print(f"{len(headers)} files are those of DuckDB {version()}")


if __name__ == "__main__":
    main()
