#!/usr/bin/env bash
# isotherm against a real Oracle database in a container: live, script, history, trace.
# NOT RUN BY US: see docs/guide/oracle-smoke.md.
# KEEP=1 leaves the container; ISOTHERM names the program; IMAGE the container's image.
set -euo pipefail

isotherm=${ISOTHERM:-isotherm}
image=${IMAGE:-gvenzl/oracle-free:23-slim}
name=isotherm-smoke-$$
port=${PORT:-15210}
password=Smoke_$$_$RANDOM
room=$(mktemp -d)
export ISOTHERM_ORACLE_PASSWORD=$password
database=oracle://mon@localhost:$port/FREEPDB1

finish() {
  if [ -n "${KEEP:-}" ]; then
    echo "left: container $name, files $room, password $password"
  else
    docker rm -f "$name" >/dev/null 2>&1 || true
    rm -rf "$room"
  fi
}
trap finish EXIT

step() { printf '\n== %s\n' "$*"; }
# SQL*Plus inside the container, as SYS in the pluggable database.
sys() { docker exec -i "$name" sqlplus -S -L "sys/$password@localhost/FREEPDB1 as sysdba"; }

step "start $image"
docker run -d --name "$name" -p "$port:1521" -e ORACLE_PASSWORD="$password" "$image" >/dev/null
for _ in $(seq 120); do
  docker logs "$name" 2>&1 | grep -q 'DATABASE IS READY TO USE' && break
  sleep 5
done
docker logs "$name" 2>&1 | grep 'DATABASE IS READY TO USE'

step "a user with the least that is needed"
{
  echo "create user mon identified by \"$password\";"
  sed -n '/^GRANT/p' "$(dirname "$0")/../docs/guide/oracle-smoke.md"
} | sys

step "totals before, and a snapshot"
totals() {
  printf '%s\n' 'set pagesize 0 feedback off linesize 200' \
    "select event||'|'||total_waits from v\$system_event where wait_class <> 'Idle';" | sys
}
echo "exec dbms_workload_repository.create_snapshot" | sys || echo "no AWR here"
totals >"$room/before"

step "waits: an I/O calibration, while they are recorded"
cat >"$room/calibrate.sql" <<'SQL'
set serveroutput on
declare
  latency integer; iops integer; mbps integer;
begin
  dbms_resource_manager.calibrate_io(1, 10, iops, mbps, latency);
  dbms_output.put_line('iops '||iops||' mbps '||mbps||' latency '||latency);
end;
/
SQL
docker exec -i "$name" sqlplus -S -L "sys/$password@localhost/FREE as sysdba" <"$room/calibrate.sql" \
  >"$room/calibration" 2>&1 &
calibration=$!
"$isotherm" record "$database" -o "$room/live.heat" --for 60s
"$isotherm" show "$room/live.heat" --utc
"$isotherm" stats "$room/live.heat"

step "the script, run inside the container"
"$isotherm" sqlplus-script --count 10 >"$room/isotherm.sql"
docker cp "$room/isotherm.sql" "$name:/tmp/isotherm.sql"
docker exec "$name" sqlplus -S -L "sys/$password@localhost/FREEPDB1 as sysdba" @/tmp/isotherm.sql \
  >"$room/waits.txt"
"$isotherm" stats "$room/waits.txt" --strict

step "totals after: isotherm must not have counted more"
wait "$calibration" || true
cat "$room/calibration"
totals >"$room/after"
"$isotherm" stats "$room/live.heat" --format json >"$room/live.json"
python3 - "$room" <<'PY'
import json, sys
room = sys.argv[1]
def totals(name):
    lines = (line.strip().rsplit("|", 1) for line in open(f"{room}/{name}") if "|" in line)
    return {event: int(waits) for event, waits in lines}
before, after = totals("before"), totals("after")
wrong = 0
for series in json.load(open(f"{room}/live.json"))["series"]:
    waits = after.get(series["name"], 0) - before.get(series["name"], 0)
    if series["events"] > waits:
        wrong += 1
        print(f"MORE THAN THERE WERE: {series['name']}: {series['events']} of {waits}")
print(f"{wrong} event(s) differ")
sys.exit(wrong > 0)
PY

step "the history"
echo "exec dbms_workload_repository.create_snapshot" | sys || echo "no AWR here"
"$isotherm" stats "awr:$database" || echo "no history to read"

step "a trace"
cat >"$room/trace.sql" <<'SQL'
alter session set tracefile_identifier = 'isotherm';
exec dbms_session.session_trace_enable(waits => true, binds => false)
select count(*) from dba_objects, (select 1 from dual connect by level < 20);
exec dbms_session.session_trace_disable
set pagesize 0 feedback off
select value from v$diag_info where name = 'Default Trace File';
SQL
file=$(sys <"$room/trace.sql" | grep '\.trc' | tail -n 1)
docker cp "$name:$file" "$room/session.trc"
"$isotherm" trace "$room/session.trc"

step "done"
