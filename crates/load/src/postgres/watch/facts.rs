//! What is known of a server and its tables before a load.

use super::super::model::{self, TABLE};
use crate::{DatabaseOptions, Redo};
use isotherm_client::postgres::address::{Logon, Place};
use isotherm_client::postgres::control::{Control, quoted};
use isotherm_client::postgres::error::PgError;

/// Settings that decide what a load means.
const SETTINGS: [&str; 7] = [
    "shared_buffers",
    "track_io_timing",
    "data_checksums",
    "fsync",
    "synchronous_commit",
    "full_page_writes",
    "max_connections",
];

/// What is known, for people, in the order to be shown.
#[derive(Clone, Debug, Default)]
pub struct Facts(pub Vec<(String, String)>);

impl Facts {
    fn add(&mut self, name: &str, value: impl Into<String>) {
        self.0.push((name.to_owned(), value.into()));
    }

    /// Asks the server.
    pub fn read(
        control: &mut Control,
        logon: &Logon,
        options: &DatabaseOptions,
        rows: u64,
    ) -> Result<Facts, PgError> {
        let mut facts = Facts::default();
        let version = control.value("show server_version")?.unwrap_or_default();
        facts.add("server", format!("PostgreSQL {version}"));
        facts.add("database", logon.to_string());
        let encrypted = "select version from pg_stat_ssl where pid = pg_backend_pid() and ssl";
        let connection = match (&logon.place, control.value(encrypted)?) {
            (Place::Socket(_), _) => "unix socket".to_owned(),
            (Place::Host(..), None) => "TCP, not encrypted".to_owned(),
            (Place::Host(..), Some(version)) => format!("TCP, {version}"),
        };
        facts.add("connection", connection);
        facts.tables(control, options, rows)?;
        facts.work(options);
        for setting in SETTINGS {
            let value = control.value(&format!("select current_setting('{setting}', true)"))?;
            if let Some(value) = value {
                facts.add(setting, value);
            }
        }
        Ok(facts)
    }

    fn tables(
        &mut self,
        control: &mut Control,
        options: &DatabaseOptions,
        rows: u64,
    ) -> Result<(), PgError> {
        let names: Vec<String> = (1..=options.schemas)
            .map(|number| quoted(&format!("{}.{TABLE}", model::schema(number))))
            .collect();
        let names = names.join(", ");
        let sql = format!(
            "select pg_size_pretty(sum(pg_relation_size(name::regclass))), \
             pg_size_pretty(sum(pg_indexes_size(name::regclass))) \
             from unnest(array[{names}]) name"
        );
        let sizes = control.rows(&sql)?.into_iter().next().unwrap_or_default();
        let size = |at: usize| sizes.get(at).cloned().flatten().unwrap_or_default();
        let (table, index) = (size(0), size(1));
        self.add("schemas", options.schemas.to_string());
        let each = if rows == options.scale {
            format!("{rows} each, one a block")
        } else {
            format!("{rows} each, one a block; the first {} are used", options.scale)
        };
        self.add("rows", each);
        self.add("tables", format!("{table}, indexes {index}"));
        Ok(())
    }

    fn work(&mut self, options: &DatabaseOptions) {
        self.add(
            "work unit",
            match options.work_unit {
                1 => "1 row".to_owned(),
                unit => format!("{unit} rows"),
            },
        );
        self.add(
            "update",
            match options.redo {
                Redo::Lite => "a number of each row",
                Redo::Heavy => "a number and both texts of each row",
            },
        );
    }
}
