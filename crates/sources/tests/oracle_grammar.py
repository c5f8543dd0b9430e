#!/usr/bin/env python3
"""Holds SQL for Oracle against an independent grammar: every statement that is read must be parsed by
sqlglot's Oracle dialect, and every column of a view must stand in the dictionary beside this file.

  pip install sqlglot
  isotherm sqlplus-script --awr --series --show-sql | python3 crates/sources/tests/oracle_grammar.py
  isotherm top oracle://u@h/s --io --show-sql | python3 crates/sources/tests/oracle_grammar.py
"""
import pathlib
import sys
import tomllib

import sqlglot
from sqlglot import exp

KNOWN = tomllib.loads((pathlib.Path(__file__).parent / "oracle_columns.toml").read_text())


def views(select):
    """The views of Oracle that a query names, by alias."""
    found = {}
    for table in select.find_all(exp.Table):
        if table.name.lower() in KNOWN or table.name.lower().startswith("dba_hist_"):
            found[(table.alias or table.name).lower()] = table.name.lower()
    return found


def unknown(select, scope):
    """Columns that no release has, as `view.column`."""
    for column in select.find_all(exp.Column):
        if column.find_ancestor(exp.Select) is not select:
            continue
        view = scope.get(column.table.lower())
        if view and column.name.lower() not in KNOWN[view]["columns"]:
            yield f"{view}.{column.name}"


def check(name, sql):
    tree = sqlglot.parse_one(sql, read="oracle", error_level=sqlglot.ErrorLevel.RAISE)
    wrong, columns = [], 0
    for select in tree.find_all(exp.Select):
        scope = views(select)
        columns += sum(1 for column in select.find_all(exp.Column) if column.table.lower() in scope)
        wrong.extend(unknown(select, scope))
    if wrong:
        sys.exit(f"{name}: not in the dictionary: {', '.join(sorted(set(wrong)))}")
    return columns


def main():
    statements = [text for text in sys.stdin.read().split(";\n") if text.strip()]
    total = 0
    for text in statements:
        lines = text.strip().splitlines()
        name = lines[0].removeprefix("-- ").split(":")[0]
        total += check(name, "\n".join(line for line in lines if not line.startswith("--")))
    if not statements:
        sys.exit("nothing was read")
    print(f"{len(statements)} statements parsed, {total} columns of views known")


main()
