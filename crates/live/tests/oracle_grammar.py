#!/usr/bin/env python3
"""Holds SQL for Oracle against an independent grammar: every statement that is read must be parsed by
sqlglot's Oracle dialect, and every column must be one of the views, tables and subqueries that it is asked
of, as the dictionary beside this file has them. Prints the first release that has all of it.

  pip install sqlglot
  isotherm sqlplus-script --awr --queries --show-sql | python3 crates/live/tests/oracle_grammar.py
  isotherm top oracle://u@h/s --io --show-sql | python3 crates/live/tests/oracle_grammar.py

Statements end with a semicolon at the end of a line. A number as the first argument is a release: what needs a
later one is refused.
"""
import logging
import pathlib
import sys
import tomllib

import sqlglot
from sqlglot import exp
from sqlglot.optimizer.qualify import qualify

# Tables that the load makes.
LOADED = {
    f"isotherm_{number}": {"since": "8.0", "columns": ["custid", *(f"c{at}" for at in range(1, 21))]}
    for number in range(1, 10)
}
KNOWN = LOADED | tomllib.loads((pathlib.Path(__file__).parent / "oracle_columns.toml").read_text())
# What a statement may say since a later release.
CLAUSES = {exp.GroupConcat: "11.2", exp.Fetch: "12.1", exp.Lateral: "12.1"}
# What no statement here may need: a command that the grammar does not know.
logging.getLogger("sqlglot").setLevel(logging.ERROR)


def dictionary():
    """Columns by table, as sqlglot takes them: names without quotes are upper case."""
    return {
        name.upper(): {column.upper(): "VARCHAR2" for column in table["columns"]}
        for name, table in KNOWN.items()
    }


def release(text):
    return tuple(int(part) for part in text.split("."))


def check(name, sql, schema):
    """The first release that has every view, column and clause of a statement; how many columns were held."""
    tree = sqlglot.parse_one(sql, read="oracle", error_level=sqlglot.ErrorLevel.RAISE)
    if isinstance(tree, exp.Command):
        sys.exit(f"{name}: the grammar does not know it: {sql[:200]}")
    queries = {cte.alias_or_name.lower() for cte in tree.find_all(exp.CTE)}
    tables = {table.name.lower() for table in tree.find_all(exp.Table)} - queries
    unknown = sorted(table for table in tables if table not in KNOWN)
    if unknown:
        sys.exit(f"{name}: not in the dictionary: {', '.join(unknown)}")
    held = sum(1 for _ in tree.find_all(exp.Column))
    query = tree.expression if isinstance(tree, exp.Insert) else tree
    if isinstance(query, exp.Query):
        # An unknown column, or one that several tables have, is an error.
        qualify(query.copy(), schema=schema, dialect="oracle", quote_identifiers=False)
    changed = changed_columns(tree)
    if changed:
        unknown = sorted(changed - set(KNOWN[tree.find(exp.Table).name.lower()]["columns"]))
        if unknown:
            sys.exit(f"{name}: not in the dictionary: {', '.join(unknown)}")
    columns = {column.name.lower() for column in tree.find_all(exp.Column)}
    later = [KNOWN[table].get("later", {}) for table in tables]
    needed = [
        *(KNOWN[table]["since"] for table in tables),
        *(since for one in later for column, since in one.items() if column in columns),
        *(since for clause, since in CLAUSES.items() if tree.find(clause)),
    ]
    return max(needed, key=release, default="8.0"), held


def changed_columns(tree):
    """The columns of the table that a statement changes."""
    if isinstance(tree, exp.Insert):
        return {column.name.lower() for column in tree.this.expressions}
    if isinstance(tree, (exp.Update, exp.Delete)):
        return {column.name.lower() for column in tree.find_all(exp.Column)}
    return set()


def main():
    statements = [text for text in sys.stdin.read().split(";\n") if text.strip()]
    most = sys.argv[1] if len(sys.argv) > 1 else None
    schema, total, newest = dictionary(), 0, "8.0"
    for number, text in enumerate(statements, 1):
        lines = text.strip().splitlines()
        heads = [line for line in lines if line.startswith("--")]
        name = heads[0].removeprefix("-- ").split(":")[0] if heads else f"statement {number}"
        sql = "\n".join(line for line in lines if not line.startswith("--"))
        try:
            since, held = check(name, sql, schema)
        except sqlglot.errors.SqlglotError as error:
            sys.exit(f"{name}: {error}\n{sql}")
        if most and release(since) > release(most):
            sys.exit(f"{name}: needs {since}, and is sent to {most}:\n{sql}")
        newest = max(newest, since, key=release)
        total += held
    if not statements:
        sys.exit("nothing was read")
    print(f"{len(statements)} statements parsed, {total} columns known; all of them since {newest}")


main()
