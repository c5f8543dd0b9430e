// go-ora against the fake server: client PORT PASSWORD.
package main

import (
	"database/sql"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"

	goora "github.com/sijms/go-ora/v2"
)

func check(what string, err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", what, err)
		os.Exit(1)
	}
}

func same(what string, found, expected any) {
	if !reflect.DeepEqual(found, expected) {
		fmt.Fprintf(os.Stderr, "%s: found %v, expected %v\n", what, found, expected)
		os.Exit(1)
	}
}

func fails(what, code string, err error) {
	if err == nil || !strings.Contains(err.Error(), code) {
		fmt.Fprintf(os.Stderr, "%s: found %v, expected %s\n", what, err, code)
		os.Exit(1)
	}
}

func connect(password string) *sql.DB {
	port, err := strconv.Atoi(os.Args[1])
	check("port", err)
	db, err := sql.Open("oracle", goora.BuildUrl("127.0.0.1", port, "FAKE", "demo", password, nil))
	check("open", err)
	db.SetMaxOpenConns(1)
	return db
}

func everyType(db *sql.DB) {
	rows, err := db.Query("select * from every_type")
	check("every type", err)
	defer rows.Close()
	moment := time.Date(2024, 2, 29, 23, 59, 58, 0, time.UTC)
	exact := moment.Add(123456 * time.Microsecond)
	numbers := []string{"-123.45", "12345678.9", "0.001"}
	texts := []string{"plain", "Gr\u00fc\u00dfe \u20ac", strings.Repeat("x", 4000)}
	doubles := []float64{1.5, -2.25, 0}
	var number, text, char sql.NullString
	var date, timestamp, zoned sql.NullTime
	var raw []byte
	var double sql.NullFloat64
	for row := 0; row < 4; row++ {
		same("a row", rows.Next(), true)
		check("row", rows.Scan(&number, &text, &char, &date, &timestamp, &zoned, &raw, &double))
		if row == 3 {
			all := []bool{number.Valid, text.Valid, char.Valid, date.Valid, timestamp.Valid, zoned.Valid, raw != nil, double.Valid}
			same("nulls", all, make([]bool, 8))
			continue
		}
		same("number", number.String, numbers[row])
		same("text", text.String, texts[row])
		same("char", char.String, "ab  ")
		same("date", date.Time.UTC(), moment)
		same("timestamp", timestamp.Time.UTC(), exact)
		same("zoned", zoned.Time.UTC(), exact)
		same("raw", raw, []byte{0, 1, 254, 255})
		same("double", double.Float64, doubles[row])
	}
	same("the end", rows.Next(), false)
	check("rows", rows.Err())
}

func manyRows(db *sql.DB) {
	rows, err := db.Query("select n, t from many_rows")
	check("many rows", err)
	defer rows.Close()
	count := int64(0)
	for rows.Next() {
		var number int64
		var text string
		check("row", rows.Scan(&number, &text))
		same("number", number, count)
		same("text", text, fmt.Sprintf("row %d", count))
		count++
	}
	check("rows", rows.Err())
	same("rows", count, int64(2500))
}

func one(db *sql.DB) {
	var number int64
	check("one", db.QueryRow("select 1 from dual").Scan(&number))
	same("one", number, int64(1))
}

func session() {
	db := connect(os.Args[2])
	check("ping", db.Ping())
	everyType(db)
	manyRows(db)
	_, err := db.Exec("select nope from t")
	fails("error", "ORA-00904", err)
	_, err = db.Query("select 1 from nowhere")
	fails("table", "ORA-00942", err)
	result, err := db.Exec("update t set n = :1 where t = :2", 12, "twelve")
	check("update", err)
	count, err := result.RowsAffected()
	check("update", err)
	same("updated", count, int64(7))
	one(db)
	check("close", db.Close())
}

// No statement is cancelled here: the driver (v2.8.24) sends its break before it notes that it did, and
// where the answer is faster than the note the cancelled query returns no error, or rows that nobody sent.
// python_oracledb.py and node_oracledb.js cancel.
func main() {
	time.AfterFunc(time.Minute, func() { panic("no answer for a minute") })
	session()
	wrong := connect("tiger")
	fails("wrong password", "ORA-01017", wrong.Ping())
	session()
	fmt.Println("go-ora: all checks passed")
}
