// node-oracledb (thin) against the fake server: node_oracledb.js PORT PASSWORD, where ORACLEDB is
// the directory of the package.
"use strict";

const assert = require("node:assert/strict");
const oracledb = require(process.env.ORACLEDB);

const [port, password] = process.argv.slice(2);
oracledb.fetchTypeHandler = (column) =>
  column.dbType === oracledb.DB_TYPE_NUMBER ? { type: oracledb.STRING } : undefined;
// Gives up if no answer comes.
const watchdog = setTimeout(() => {
  console.error("no answer for a minute");
  process.exit(1);
}, 60_000);

const connect = (given = password) =>
  oracledb.getConnection({
    user: "demo",
    password: given,
    connectString: `127.0.0.1:${port}/FAKE`,
  });

const fails = (code, action) => assert.rejects(action, { code });

async function everyType(connection) {
  const { rows, metaData } = await connection.execute("select * from every_type");
  const moment = new Date("2024-02-29T23:59:58Z");
  const exact = new Date("2024-02-29T23:59:58.123Z");
  const raw = Buffer.from([0, 1, 254, 255]);
  const expected = [
    ["-123.45", "plain", 1.5],
    ["12345678.9", "Gr\u00fc\u00dfe \u20ac", -2.25],
    ["0.001", "x".repeat(4000), 0],
  ].map(([number, text, double]) => [number, text, "ab  ", moment, exact, exact, raw, double]);
  expected.push(Array(8).fill(null));
  for (const row of rows) if (row[0]?.startsWith(".")) row[0] = `0${row[0]}`;
  assert.deepEqual(rows, expected);
  assert.deepEqual(
    metaData.map((column) => column.dbTypeName),
    [
      "NUMBER",
      "VARCHAR2",
      "CHAR",
      "DATE",
      "TIMESTAMP",
      "TIMESTAMP WITH TIME ZONE",
      "RAW",
      "BINARY_DOUBLE",
    ],
  );
  assert.equal(metaData.at(-1).name, "A_DOUBLE");
}

async function manyRows(connection) {
  const expected = Array.from({ length: 2500 }, (_, row) => [`${row}`, `row ${row}`]);
  for (const size of [10, 100, 2499, 2500, 2501]) {
    const options = { fetchArraySize: size, prefetchRows: size };
    const { rows } = await connection.execute("select n, t from many_rows", [], options);
    assert.deepEqual(rows, expected);
  }
}

async function one(connection) {
  const { rows } = await connection.execute("select 1 from dual");
  assert.deepEqual(rows, [["1"]]);
}

async function cancel(connection) {
  setTimeout(() => connection.break(), 300);
  await fails("ORA-01013", () => connection.execute("select 1 from slow_one"));
  await one(connection);
  connection.callTimeout = 300;
  await fails("NJS-123", () => connection.execute("select 1 from slow_one"));
  connection.callTimeout = 0;
  await one(connection);
}

async function session() {
  const connection = await connect();
  assert.equal(connection.oracleServerVersionString, "19.0.0.0.0");
  await everyType(connection);
  await manyRows(connection);
  await fails("ORA-00904", () => connection.execute("select nope from t"));
  await fails("ORA-00942", () => connection.execute("select 1 from nowhere"));
  const update = "update t set n = :n where t = :t";
  const { rowsAffected } = await connection.execute(update, { n: 12, t: "twelve" });
  assert.equal(rowsAffected, 7);
  await connection.commit();
  await connection.ping();
  await cancel(connection);
  await connection.close();
  await fails("NJS-003", () => connection.ping());
}

async function main() {
  await session();
  await fails("ORA-01017", () => connect("tiger"));
  await session();
  clearTimeout(watchdog);
  console.log(`node-oracledb ${oracledb.versionString}: all checks passed`);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
