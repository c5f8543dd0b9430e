// Oracle's JDBC driver (thin) against the fake server: Ojdbc.java PORT PASSWORD.

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

class Ojdbc {
    static String port;

    interface Action {
        void run() throws SQLException;
    }

    static void same(String what, Object found, Object expected) {
        if (!Objects.deepEquals(found, expected)) {
            throw new AssertionError(what + ": found " + found + ", expected " + expected);
        }
    }

    static void fails(int code, Action action) {
        try {
            action.run();
        } catch (SQLException error) {
            same(error.getMessage(), error.getErrorCode(), code);
            return;
        }
        throw new AssertionError("no error, expected " + code);
    }

    static Connection connect(String password) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:oracle:thin:@//127.0.0.1:" + port + "/FAKE", "demo", password);
    }

    static void everyType(Connection connection) throws SQLException {
        String[] numbers = {"-123.45", "12345678.9", "0.001"};
        String[] texts = {"plain", "Gr\u00fc\u00dfe \u20ac", "x".repeat(4000)};
        double[] doubles = {1.5, -2.25, 0};
        Timestamp moment = Timestamp.valueOf("2024-02-29 23:59:58");
        Timestamp exact = Timestamp.valueOf("2024-02-29 23:59:58.123456");
        byte[] raw = {0, 1, (byte) 254, (byte) 255};
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select * from every_type")) {
            for (int row = 0; row < 3; row++) {
                same("a row", rows.next(), true);
                same("number", rows.getBigDecimal(1), new BigDecimal(numbers[row]));
                same("text", rows.getString(2), texts[row]);
                same("char", rows.getString(3), "ab  ");
                same("date", rows.getTimestamp(4), moment);
                same("timestamp", rows.getTimestamp(5), exact);
                Instant zoned = rows.getObject(6, OffsetDateTime.class).toInstant();
                same("zoned", zoned, Instant.parse("2024-02-29T23:59:58.123456Z"));
                same("raw", rows.getBytes(7), raw);
                same("double", rows.getDouble(8), doubles[row]);
            }
            same("a row", rows.next(), true);
            for (int column = 1; column <= 8; column++) {
                same("null", rows.getObject(column), null);
            }
            same("the end", rows.next(), false);
            ResultSetMetaData columns = rows.getMetaData();
            List<String> types = new ArrayList<>();
            for (int column = 1; column <= 8; column++) {
                types.add(columns.getColumnTypeName(column));
            }
            same("types", types, Arrays.asList("NUMBER", "VARCHAR2", "CHAR", "DATE", "TIMESTAMP",
                    "TIMESTAMP WITH TIME ZONE", "RAW", "BINARY_DOUBLE"));
            same("name", columns.getColumnName(8), "A_DOUBLE");
        }
    }

    static void manyRows(Connection connection) throws SQLException {
        for (int size : new int[] {10, 100, 2499, 2500, 2501}) {
            try (Statement statement = connection.createStatement()) {
                statement.setFetchSize(size);
                ResultSet rows = statement.executeQuery("select n, t from many_rows");
                int count = 0;
                for (; rows.next(); count++) {
                    same("number", rows.getInt(1), count);
                    same("text", rows.getString(2), "row " + count);
                }
                same("rows", count, 2500);
            }
        }
    }

    static void query(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeQuery(sql).close();
        }
    }

    static void one(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select 1 from dual")) {
            same("one", rows.next() && rows.getInt(1) == 1 && !rows.next(), true);
        }
    }

    static void session(String password) throws SQLException {
        Connection connection = connect(password);
        connection.setAutoCommit(false);
        same("version", connection.getMetaData().getDatabaseMajorVersion(), 19);
        everyType(connection);
        manyRows(connection);
        fails(904, () -> query(connection, "select nope from t"));
        fails(942, () -> query(connection, "select 1 from nowhere"));
        String update = "update t set n = ? where t = ?";
        try (PreparedStatement statement = connection.prepareStatement(update)) {
            statement.setInt(1, 12);
            statement.setString(2, "twelve");
            same("updated", statement.executeUpdate(), 7);
        }
        connection.commit();
        one(connection);
        connection.close();
        same("closed", connection.isClosed(), true);
    }

    public static void main(String[] arguments) throws SQLException {
        port = arguments[0];
        Thread watchdog = new Thread(() -> {
            try {
                Thread.sleep(60_000);
            } catch (InterruptedException error) {
                return;
            }
            System.err.println("no answer for a minute");
            System.exit(1);
        });
        watchdog.setDaemon(true);
        watchdog.start();
        session(arguments[1]);
        fails(1017, () -> connect("tiger"));
        session(arguments[1]);
        System.out.println("ojdbc " + DriverManager.getDriver("jdbc:oracle:thin:@x").getMajorVersion()
                + ": all checks passed");
    }
}
