"""python-oracledb (thin) against the fake server: python_oracledb.py PORT PASSWORD."""

import datetime
import decimal
import faulthandler
import sys
import threading
import time

import oracledb

PORT, PASSWORD = int(sys.argv[1]), sys.argv[2]
oracledb.defaults.fetch_decimals = True
# Says where it stands, and gives up, if no answer comes.
faulthandler.dump_traceback_later(60, exit=True)


def connect(password=PASSWORD):
    return oracledb.connect(user="demo", password=password, dsn=f"127.0.0.1:{PORT}/FAKE")


def same(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: found {found!r}, expected {expected!r}")


def fails(what, code, action):
    try:
        action()
    except oracledb.Error as error:
        same(what, error.args[0].full_code, code)
    else:
        sys.exit(f"{what}: no error, expected {code}")


def every_type(connection):
    cursor = connection.cursor()
    rows = cursor.execute("select * from every_type").fetchall()
    moment = datetime.datetime(2024, 2, 29, 23, 59, 58)
    exact = moment.replace(microsecond=123456)
    for row, number, text, double in [
        (0, "-123.45", "plain", 1.5),
        (1, "12345678.9", "Gr\u00fc\u00dfe \u20ac", -2.25),
        (2, "0.001", "x" * 4000, 0.0),
    ]:
        expected = (decimal.Decimal(number), text, "ab  ", moment, exact, exact)
        same(f"row {row}", rows[row], expected + (b"\x00\x01\xfe\xff", double))
    same("nulls", rows[3:], [(None,) * 8])
    kinds = [column[1] for column in cursor.description]
    names = [column[0] for column in cursor.description]
    same("types", kinds, [
        oracledb.DB_TYPE_NUMBER, oracledb.DB_TYPE_VARCHAR, oracledb.DB_TYPE_CHAR,
        oracledb.DB_TYPE_DATE, oracledb.DB_TYPE_TIMESTAMP, oracledb.DB_TYPE_TIMESTAMP_TZ,
        oracledb.DB_TYPE_RAW, oracledb.DB_TYPE_BINARY_DOUBLE,
    ])
    same("name", names[-1], "A_DOUBLE")


def many_rows(connection):
    for size in (10, 100, 2499, 2500, 2501):
        cursor = connection.cursor()
        cursor.arraysize = size
        rows = cursor.execute("select n, t from many_rows").fetchall()
        same(f"rows by {size}", rows, [(n, f"row {n}") for n in range(2500)])


def cancel(connection):
    def stop():
        time.sleep(0.3)
        connection.cancel()

    stopper = threading.Thread(target=stop)
    stopper.start()
    fails("cancel", "ORA-01013", lambda: connection.cursor().execute("select 1 from slow_one"))
    stopper.join()
    one(connection)
    connection.call_timeout = 300
    fails("timeout", "DPY-4024", lambda: connection.cursor().execute("select 1 from slow_one"))
    connection.call_timeout = 0
    one(connection)


def one(connection):
    same("one", connection.cursor().execute("select 1 from dual").fetchall(), [(1,)])


def session():
    connection = connect()
    same("version", connection.version, "19.0.0.0.0")
    every_type(connection)
    many_rows(connection)
    fails("error", "ORA-00904", lambda: connection.cursor().execute("select nope from t"))
    fails("table", "ORA-00942", lambda: connection.cursor().execute("select 1 from nowhere"))
    cursor = connection.cursor()
    cursor.execute("update t set n = :n where t = :t", n=12, t="twelve")
    same("updated", cursor.rowcount, 7)
    connection.commit()
    connection.ping()
    cancel(connection)
    connection.close()
    fails("closed", "DPY-1001", connection.ping)


session()
fails("wrong password", "ORA-01017", lambda: connect("tiger"))
session()
print(f"python-oracledb {oracledb.__version__}: all checks passed")
