#!/usr/bin/env python3
"""Holds heatmaps.py and the query for Spark against `isotherm frames` and against counts made here.

    spark/install && target/clients/spark/bin/python spark/check.py target/debug/isotherm
"""
import json
import os
import random
import subprocess
import sys
import tempfile

import heatmaps

FILES = 16
START_NS = 1_770_000_000_000_000_000
READ = ["--columns", "end,latency,name", "--unit", "ns", "--time-unit", "ns"]


def operations(seed):
    """A minute of operations of three names; ends and latencies by a generator of our own."""
    chance = random.Random(seed)
    made = []
    for _ in range(400):
        end = START_NS + seed % 4 * 20_000_000_000 + chance.randrange(60_000_000_000)
        octave = chance.randrange(30)
        made.append((end, 2**octave + chance.randrange(2**octave), chance.choice(["a", "b, 100% é", "c"])))
    return sorted(made)


def written(directory):
    """The operations in files: their paths, and all operations."""
    paths, everything = [], []
    for seed in range(FILES):
        made = operations(seed)
        path = os.path.join(directory, f"part-{seed:02}.csv")
        with open(path, "w", encoding="utf-8") as out:
            print("end_ns,latency_ns,name", file=out)
            for end, latency, name in made:
                print(end, latency, '"' + name.replace('"', '""') + '"', sep=",", file=out)
        paths.append(path)
        everything += made
    return paths, everything


def bucket(latency):
    """The lower bound of the bucket: eighths of an octave, by counting down."""
    if latency < 16:
        return latency
    low = 16
    while low * 2 <= latency:
        low *= 2
    return low + (latency - low) // (low // 8) * (low // 8)


def true_cells(everything):
    """Operations of each second, name and bucket."""
    cells = {}
    for end, latency, name in everything:
        key = (end - end % 1_000_000_000, name, bucket(latency))
        cells[key] = cells.get(key, 0) + 1
    return cells


def same(one, other, what):
    """Both tables have the same rows."""
    missing, more = one.exceptAll(other).take(3), other.exceptAll(one).take(3)
    assert not missing and not more, f"{what}: {missing} are missing, {more} are more"


def stats(isotherm, recording):
    printed = subprocess.run([isotherm, "stats", recording, "--format", "json"], check=True, capture_output=True)
    found = json.loads(printed.stdout)
    series = sorted(found["series"], key=lambda one: (one["name"], json.dumps(one["attributes"])))
    return [(one["buckets"], one["time_waited_s"], one["events"]) for one in series]


def recorded(isotherm, command, inputs, output, flags=()):
    subprocess.run([isotherm, command, *inputs, "-o", output, *flags], check=True)
    return stats(isotherm, output)


def counts_by_spark(spark, table):
    """Counts of each second, name and bucket, whatever the quality of the interval."""
    from pyspark.sql import functions as f

    second = f.expr("end_ns - 1 - (end_ns - 1) % 1000000000")
    filled = table.where("count > 0 and lo_ns is not null")
    return {tuple(row)[:3]: row[3] for row in filled.groupBy(second, "name", "lo_ns").agg(f.sum("count")).collect()}


def rows_of(spark, isotherm, directory, groups):
    """The rows of a process for each group of files, added up."""
    from pyspark.sql import functions as f

    tables = []
    for at, paths in enumerate(groups):
        tables.append(os.path.join(directory, f"alone-{len(groups)}-{at}.csv"))
        subprocess.run([isotherm, "frames", *paths, "-o", tables[-1], *READ], check=True, capture_output=True)
    exact = {"header": True, "escape": '"', "nullValue": ""}
    found = spark.read.schema(heatmaps.SCHEMA).options(**exact).csv(tables).fillna("", ["series", "attributes"])
    added = [f.sum(name).alias(name) for name in ("sum_ns", "count", "waited_ns")]
    return found.groupBy(*heatmaps.KEYS).agg(*added).select(*(field.split()[0] for field in heatmaps.SCHEMA.split(", ")))


def check_names(directory):
    """Every file of an address is found under its own name, and what a job has not committed is none."""
    place = os.path.join(directory, "names")
    names = ["a%41.trc", "aA.trc", "d", "d#e.trc", "f g?.trc", "_b.trc"]
    for name in names + [".hid/x.trc", "_temporary/0/part-0", "_SUCCESS"]:
        os.makedirs(os.path.dirname(os.path.join(place, name)), exist_ok=True)
        with open(os.path.join(place, name), "w", encoding="utf-8") as out:
            out.write(name)
    for given in [place, "file://" + place]:
        copies = os.path.join(directory, "copies" + str(len(given)))
        os.mkdir(copies)
        read = []
        for path in heatmaps.fetched(heatmaps.listed([given]), copies):
            with open(path, encoding="utf-8") as file:
                read.append(file.read())
        assert sorted(read) == sorted(names), f"{given}: {read}"


def check_files(spark, isotherm, directory, paths, everything):
    """16 files in 2 tasks are the rows of two processes and of one, and the counts made here."""
    from pyspark.sql import functions as f

    table = heatmaps.heatmaps(spark, paths, 2, isotherm, READ).cache()
    half = FILES // 2
    for groups in ([paths[:half], paths[half:]], [paths]):
        rows = rows_of(spark, isotherm, directory, groups).cache()
        same(table, rows, f"rows of 2 tasks and {len(groups)} processes")
    # A name is an attribute, of which some characters are written as codes.
    decoded = f.expr("url_decode(substring_index(attributes, 'name=', -1))")
    assert counts_by_spark(spark, table.withColumn("name", decoded)) == true_cells(everything), "counts"
    sums = table.agg(f.sum("sum_ns"), f.sum("waited_ns")).first()
    time = sum(latency for _, latency, _ in everything)
    assert tuple(sums) == (time, time), f"{sums} instead of {time} ns"
    rows = os.path.join(directory, "rows")
    heatmaps.write(table, rows)
    merged = recorded(isotherm, "merge", [rows], os.path.join(directory, "merged.heat"))
    imported = recorded(isotherm, "import", paths, os.path.join(directory, "imported.heat"), READ)
    assert merged == imported, "merged rows and a direct import"
    assert sum(events for _, _, events in merged) == len(everything)


def check_query(spark, isotherm, everything):
    """The query of sql-buckets gives the counts made here."""
    table = spark.createDataFrame(everything, "end_ns long, latency_ns long, name string")
    table.createOrReplaceTempView("ops")
    command = [isotherm, "sql-buckets", "--dialect", "spark", "ops", "--series-column", "name"]
    query = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = spark.sql(query).cache()
    assert counts_by_spark(spark, found.withColumnRenamed("series", "name")) == true_cells(everything), "query"
    time = sum(latency for _, latency, _ in everything)
    assert found.selectExpr("sum(sum_ns)").first()[0] == time, "time of the query"


def check_failure(isotherm, directory):
    """A file that cannot be read fails, and is named."""
    bad = os.path.join(directory, "nothing.bin")
    with open(bad, "wb") as out:
        out.write(b"\0\1\2")
    try:
        list(heatmaps.rows([isotherm, "frames", bad]))
    except RuntimeError as error:
        assert "nothing.bin" in str(error), error
    else:
        raise AssertionError("a file that cannot be read is passed over in silence")


def main():
    isotherm = os.path.abspath(sys.argv[1])
    os.environ["PYSPARK_PYTHON"] = sys.executable
    with tempfile.TemporaryDirectory() as directory:
        check_failure(isotherm, directory)
        check_names(directory)
        paths, everything = written(directory)
        spark = heatmaps.session("local[2]")
        spark.sparkContext.setLogLevel("ERROR")
        # A few thousand rows: code made for each query would take longer than the queries.
        spark.conf.set("spark.sql.codegen.wholeStage", "false")
        spark.conf.set("spark.sql.shuffle.partitions", "1")
        # The tasks import what the script defines.
        spark.sparkContext.addPyFile(heatmaps.__file__)
        try:
            check_files(spark, isotherm, directory, paths, everything)
            check_query(spark, isotherm, everything)
        finally:
            spark.stop()
    print(f"Spark: {FILES} files, {len(everything)} operations, as isotherm frames counts them")


if __name__ == "__main__":
    main()
