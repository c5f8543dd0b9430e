#!/usr/bin/env python3
"""Reads many files with `isotherm frames` on the machines of a Spark cluster and adds up the rows.

On this machine:
    spark/heatmaps.py --master 'local[2]' --tasks 2 -o rows traces/*.trc
    isotherm merge rows -o day.heat

On a cluster, with the program sent along:
    spark-submit --files isotherm spark/heatmaps.py --tasks 400 -o s3a://bucket/rows s3://bucket/traces/

Arguments after `--` are those of `isotherm frames`, such as `-- -i 10s --by event`. The inputs must be
readable on every machine: a shared directory, or an address that pyarrow.fs knows (s3, gs, hdfs, file).
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from urllib.parse import quote, unquote, urlsplit

KEYS = ["start_ns", "end_ns", "series", "attributes", "quality", "lo_ns", "hi_ns"]
SCHEMA = (
    "start_ns long, end_ns long, series string, attributes string, quality string, "
    "sum_ns long, lo_ns long, hi_ns long, count long, waited_ns long"
)
# An argument list has a limit of some megabytes; rows of several processes add up like those of one.
FILES_A_PROCESS = 1000


def listed(inputs):
    """All files of the inputs. What an engine writes for itself (`_SUCCESS`, hidden files) is none."""
    from pyarrow import fs

    paths = []
    for name in inputs:
        if "://" in name:
            system, root = fs.FileSystem.from_uri(name)
            as_input = addresses(name, root)
        else:
            system, root, as_input = fs.LocalFileSystem(), os.path.abspath(name), str
        info = system.get_file_info(root)
        if info.type == fs.FileType.Directory:
            found = system.get_file_info(fs.FileSelector(root, recursive=True))
            found = sorted(file.path for file in found if file.type == fs.FileType.File)
            found = [path for path in found if is_input(path[len(root):])]
        elif info.type == fs.FileType.File:
            found = [root]
        else:
            sys.exit(f"{name}: no such file or directory")
        paths += [as_input(path) for path in found]
    if not paths:
        sys.exit("no files found in " + ", ".join(inputs))
    return paths


def is_input(below):
    """Whether a path below a directory is one that `isotherm` reads, too; uncommitted parts of a job are not."""
    parts = below.strip("/").split("/")
    return not any(part.startswith(".") or part in ("_SUCCESS", "_temporary") for part in parts)


def addresses(name, root):
    """What makes an address like `name` of the path of a file. A path may hold what ends one in an address."""
    given = urlsplit(name)
    head = f"{given.scheme}://" + (given.netloc if root.startswith("/") else "")
    tail = "?" + given.query if given.query else ""
    return lambda path: head + quote(path, safe="/") + tail


def program(named):
    """The program on this machine: a path, one that `--files` sent, or one of the PATH."""
    from pyspark import SparkFiles

    sent = SparkFiles.get(os.path.basename(named))
    found = next((path for path in [named, sent] if os.path.isfile(path)), None) or shutil.which(named)
    if not found:
        raise RuntimeError(f"{named} is not on this machine: send it with --files, or name its path with --isotherm")
    if os.path.realpath(found) == os.path.realpath(sent):
        os.chmod(found, 0o755)
    return os.path.abspath(found)


def fetched(paths, directory):
    """The files on this machine; those of an object store are copied into the directory."""
    from pyarrow import fs

    local = []
    for at, path in enumerate(paths):
        if "://" in path:
            target = os.path.join(directory, str(at), os.path.basename(unquote(urlsplit(path).path)))
            os.mkdir(os.path.dirname(target))
            fs.copy_files(path, target)
            path = target
        local.append(path)
    return local


def rows(command):
    """The rows that the program prints, as they come; fails if it fails."""
    import pyarrow
    from pyarrow import csv

    number, text = pyarrow.int64(), pyarrow.string()
    names = [field.split()[0] for field in SCHEMA.split(", ")]
    texts = ("series", "attributes", "quality")
    types = {name: text if name in texts else number for name in names}
    convert = csv.ConvertOptions(column_types=types, include_columns=names, strings_can_be_null=False)
    with tempfile.TemporaryFile() as errors:
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors) as process:
            failed = None
            try:
                yield from csv.open_csv(process.stdout, convert_options=convert)
            except pyarrow.ArrowInvalid as error:
                failed = error
            process.stdout.close()
        errors.seek(0)
        message = errors.read().decode(errors="replace")
        # The program's own words come first: output that it broke off cannot be read either.
        if process.returncode or failed:
            raise RuntimeError(f"{' '.join(command[:2])} ended with {process.returncode}: {message or failed}")
        # Warnings are in the log of the machine that read the files.
        print(message, end="", file=sys.stderr)


def reader(named, flags):
    """What a task does: one process for its files, which adds up while it reads."""

    def read(batches):
        paths = [path for batch in batches for path in batch.column(0).to_pylist()]
        for at in range(0, len(paths), FILES_A_PROCESS):
            with tempfile.TemporaryDirectory() as directory:
                files = fetched(paths[at : at + FILES_A_PROCESS], directory)
                yield from rows([program(named), "frames", *files, *flags])

    return read


def heatmaps(spark, paths, tasks, named, flags):
    """The rows of all files, added up."""
    from pyspark.sql import functions as f

    tasks = min(tasks, len(paths))
    # One contiguous part of the list for each task.
    listed_rows = spark.sparkContext.parallelize([(path,) for path in paths], tasks)
    files = spark.createDataFrame(listed_rows, "path string")
    added = [f.sum(name).alias(name) for name in ("sum_ns", "count", "waited_ns")]
    read = files.mapInArrow(reader(named, flags), SCHEMA)
    columns = [field.split()[0] for field in SCHEMA.split(", ")]
    return read.groupBy(*KEYS).agg(*added).select(*columns)


def write(table, output):
    """Writes rows as `isotherm merge` reads them: sorted, and texts exactly as they are."""
    exact = {"header": True, "escape": '"', "emptyValue": "", "nullValue": ""}
    exact |= {"ignoreLeadingWhiteSpace": False, "ignoreTrailingWhiteSpace": False}
    ordered = table.orderBy("start_ns", "end_ns", "series", "attributes", "quality", "lo_ns")
    ordered.write.options(**exact).csv(output)


def session(master):
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("isotherm").config("spark.sql.ansi.enabled", "true")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    if master:
        builder = builder.master(master)
    if master and master.startswith("local"):
        # The workers on this machine are to have what this program has, such as pyarrow.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = builder.config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
        builder = builder.config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "4")
    return builder.getOrCreate()


def main():
    # `--` ends our own arguments wherever it stands.
    own = sys.argv[1:]
    flags = []
    if "--" in own:
        at = own.index("--")
        own, flags = own[:at], own[at + 1 :]
    words = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=words)
    parser.add_argument("inputs", nargs="+", help="files and directories, also as addresses of an object store")
    parser.add_argument("-o", "--output", required=True, help="the directory to write rows to; it must not exist")
    parser.add_argument("--tasks", type=int, default=2, help="how many tasks read the files (default 2)")
    parser.add_argument("--isotherm", default="isotherm", help="the program, where it is not in PATH or --files")
    parser.add_argument("--master", help="such as local[2]; spark-submit sets it otherwise")
    args = parser.parse_args(own)
    if args.tasks < 1:
        parser.error("--tasks must be at least 1")
    spark = session(args.master)
    try:
        write(heatmaps(spark, listed(args.inputs), args.tasks, args.isotherm, flags), args.output)
    finally:
        spark.stop()


if __name__ == "__main__":
    main()
