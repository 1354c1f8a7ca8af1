#!/usr/bin/env python3
"""Makes the npm packages: the one that people name, and the one with the programs for this
platform, taken out of the archive that cpack made. Nothing is downloaded."""

import argparse
import json
import pathlib
import shutil
import subprocess
import tarfile
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[1]
# What people run by npx; the archive has more.
PROGRAMS = ("spmd-tidy", "spmd-clangd")


def pack(folder, destination):
    done = subprocess.run(["npm", "pack", "--silent", "--offline", "--pack-destination", destination,
                           folder], check=True, text=True, stdout=subprocess.PIPE)
    print(destination / done.stdout.split()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--archive", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args()
    destination = options.out.resolve()
    main_package = json.loads((SOURCE / "package.json").read_text())
    with tempfile.TemporaryDirectory() as work:
        with tarfile.open(options.archive) as archive:
            archive.extractall(work)
        (folder,) = pathlib.Path(work).iterdir()
        for program in (folder / "bin").iterdir():
            if program.name not in PROGRAMS:
                program.unlink()
        shutil.rmtree(folder / "share/doc/spmd-tidy/docs", ignore_errors=True)
        (name,) = main_package["optionalDependencies"]
        (folder / "package.json").write_text(json.dumps({
            "name": name,
            "version": main_package["version"],
            "description": "The programs of spmd-tidy for Linux on x64",
            "license": main_package["license"],
            "os": ["linux"],
            "cpu": ["x64"],
            "preferUnplugged": True,
        }, indent=2))
        pack(folder, destination)
    pack(SOURCE, destination)


if __name__ == "__main__":
    main()
