"""Packs the program as a Python wheel: `pip install isotherm`, without compiling.

    wheel.py PROGRAM PAGES README LICENSE VERSION TARGET EPOCH_S OUT

The same files give the same bytes. Prints the name of the wheel."""
import base64
import hashlib
import os
import sys
import time
import zipfile

program, pages, readme, licence, version, target, epoch_s, out = sys.argv[1:]
processor = target.split("-")[0]
# A static program runs with either C library; one that needs this machine's is for this machine.
systems = (
    [f"manylinux2014_{processor}", f"manylinux_2_17_{processor}", f"musllinux_1_1_{processor}"]
    if target.endswith("-musl")
    else [f"linux_{processor}"]
)
name = f"isotherm-{version}-py3-none-{'.'.join(systems)}.whl"
info, data = f"isotherm-{version}.dist-info", f"isotherm-{version}.data"
# No earlier time can be written into an archive.
moment = time.gmtime(max(int(epoch_s), 315_532_800))[:6]

METADATA = f"""Metadata-Version: 2.1
Name: isotherm
Version: {version}
Summary: Latency heat maps over time for disks, databases and traces
License: Apache-2.0
Classifier: Environment :: Console
Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: System :: Monitoring
Requires-Python: >=3.7
Description-Content-Type: text/markdown

"""
WHEEL = "Wheel-Version: 1.0\nGenerator: xtask\nRoot-Is-Purelib: false\n" + "".join(
    f"Tag: py3-none-{system}\n" for system in systems
)


def content(path):
    with open(path, "rb") as file:
        return file.read()


def completions(shell, path):
    return f"{data}/data/share/{path}", content(os.path.join(pages, "completions", shell)), 0o644


manual = os.path.join(pages, "man")
files = [
    (f"{data}/scripts/isotherm", content(program), 0o755),
    completions("isotherm.bash", "bash-completion/completions/isotherm"),
    completions("_isotherm", "zsh/site-functions/_isotherm"),
    completions("isotherm.fish", "fish/vendor_completions.d/isotherm.fish"),
    *((f"{data}/data/share/man/man1/{page}", content(os.path.join(manual, page)), 0o644) for page in sorted(os.listdir(manual))),
    (f"{info}/LICENSE", content(licence), 0o644),
    (f"{info}/METADATA", METADATA.encode() + content(readme), 0o644),
    (f"{info}/WHEEL", WHEEL.encode(), 0o644),
]
record = ""
for path, bytes_, _ in files:
    digest = base64.urlsafe_b64encode(hashlib.sha256(bytes_).digest()).rstrip(b"=").decode()
    record += f"{path},sha256={digest},{len(bytes_)}\n"
record += f"{info}/RECORD,,\n"
with zipfile.ZipFile(os.path.join(out, name), "w") as wheel:
    for path, bytes_, mode in [*files, (f"{info}/RECORD", record.encode(), 0o644)]:
        entry = zipfile.ZipInfo(path, moment)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.create_system = 3
        entry.external_attr = (0o100000 | mode) << 16
        wheel.writestr(entry, bytes_)
print(name)
