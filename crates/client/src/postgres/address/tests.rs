use std::collections::HashMap;

use proptest::prelude::*;

use super::*;

#[derive(Default)]
struct Around {
    variables: HashMap<&'static str, &'static str>,
    passfile: &'static str,
    sockets: Vec<&'static str>,
}

impl Surroundings for Around {
    fn variable(&self, name: &str) -> Option<String> {
        self.variables.get(name).map(|value| (*value).to_owned())
    }

    fn user(&self) -> Option<String> {
        Some("me".to_owned())
    }

    fn passfile(&self, path: &Path) -> Option<String> {
        (path == Path::new("/home/me/.pgpass")).then(|| self.passfile.to_owned())
    }

    fn socket(&self, path: &Path) -> bool {
        self.sockets.iter().any(|socket| Path::new(socket) == path)
    }
}

fn read(text: &str) -> Result<Logon, AddressError> {
    Logon::read(text, &Around::default())
}

#[test]
fn every_part_of_an_address_is_read() {
    let text = "joe%40home:p%3Aw%2Fd@db.example:5433/my%20db\
        ?sslmode=require&application_name=load&connect_timeout=3&options=-c%20jit%3Doff";
    let logon = read(text).unwrap();
    assert_eq!(logon.place, Place::Host("db.example".to_owned(), 5433));
    assert_eq!((logon.user.as_str(), logon.database.as_str()), ("joe@home", "my db"));
    assert_eq!(logon.password.as_deref(), Some("p:w/d"));
    assert_eq!((logon.tls, logon.timeout), (TlsMode::Require, Duration::from_secs(3)));
    assert_eq!(logon.application, "load");
    assert_eq!(logon.options.as_deref(), Some("-c jit=off"));
}

#[test]
fn an_empty_address_is_what_libpq_makes_of_it() {
    let around = Around { sockets: vec!["/tmp/.s.PGSQL.5432"], ..Around::default() };
    let logon = Logon::read("", &around).unwrap();
    assert_eq!(logon.place, Place::Socket("/tmp/.s.PGSQL.5432".into()));
    assert_eq!((logon.user.as_str(), logon.database.as_str()), ("me", "me"));
    assert_eq!(logon.password, None);
    assert_eq!(read("").unwrap().place, Place::Host("localhost".to_owned(), 5432));
}

#[test]
fn sockets_are_given_as_a_parameter_or_with_their_slashes_encoded() {
    let socket = Place::Socket("/run/pg/.s.PGSQL.6000".into());
    assert_eq!(read("/db?host=/run/pg&port=6000").unwrap().place, socket);
    assert_eq!(read("%2Frun%2Fpg:6000/db").unwrap().place, socket);
    let six = read("[::1]:6000").unwrap();
    assert_eq!(six.place.to_string(), "[::1]:6000");
    assert_eq!(read("[::1]").unwrap().place, Place::Host("::1".to_owned(), 5432));
}

#[test]
fn the_environment_stands_in_for_what_is_not_written() {
    let variables = [
        ("PGHOST", "there"),
        ("PGPORT", "7"),
        ("PGUSER", "you"),
        ("PGPASSWORD", "secret"),
        ("PGDATABASE", "db"),
        ("PGSSLMODE", "disable"),
    ];
    let around = Around { variables: variables.into(), ..Around::default() };
    let logon = Logon::read("", &around).unwrap();
    assert_eq!(logon.place, Place::Host("there".to_owned(), 7));
    assert_eq!((logon.user.as_str(), logon.database.as_str()), ("you", "db"));
    assert_eq!((logon.password.as_deref(), logon.tls), (Some("secret"), TlsMode::Disable));
    let logon = Logon::read("joe:mine@here/other", &around).unwrap();
    assert_eq!((logon.user.as_str(), logon.database.as_str()), ("joe", "other"));
    assert_eq!(logon.password.as_deref(), Some("mine"));
    assert_eq!(logon.place, Place::Host("here".to_owned(), 7));
}

#[test]
fn the_password_file_is_read_line_by_line() {
    let passfile = "# mine\nelse:*:*:*:no\nhere:5432:db:joe:a\\:b\\\\c\n*:*:*:joe:any\n\
        localhost:*:*:me:sock";
    let around = Around { variables: [("HOME", "/home/me")].into(), passfile, ..Around::default() };
    let password = |text: &str| Logon::read(text, &around).unwrap().password;
    assert_eq!(password("joe@here/db").as_deref(), Some("a:b\\c"));
    assert_eq!(password("joe@here/other").as_deref(), Some("any"));
    assert_eq!(password("me@here/db"), None);
    assert_eq!(password("me@/db?host=/run/pg").as_deref(), Some("sock"));
    assert_eq!(password("joe:own@here/db").as_deref(), Some("own"));
}

#[test]
fn what_is_wrong_is_said() {
    assert_eq!(read("a@h:0/d").unwrap_err(), AddressError::Port);
    assert_eq!(read("joe:pass/word@h").unwrap_err(), AddressError::Port);
    assert_eq!(read("joe:pass?word@h").unwrap_err(), AddressError::At);
    assert_eq!(read("a@h1,h2/d").unwrap_err(), AddressError::Hosts);
    assert_eq!(read("/d?host=a,b").unwrap_err(), AddressError::Hosts);
    assert_eq!(read("[::1/d").unwrap_err(), AddressError::Bracket);
    assert_eq!(read("a%4@h").unwrap_err(), AddressError::Percent("user"));
    assert_eq!(read("a:%zz@h").unwrap_err(), AddressError::Percent("password"));
    assert_eq!(read("a:%00@h").unwrap_err(), AddressError::Percent("password"));
    assert_eq!(read("h/d?service=x").unwrap_err(), AddressError::Parameter("service".to_owned()));
    assert_eq!(read("h/d?host").unwrap_err(), AddressError::Value("host".to_owned()));
    assert_eq!(read("h/d?sslmode=maybe").unwrap_err(), AddressError::Tls("maybe".to_owned()));
    assert_eq!(read("h?connect_timeout=x").unwrap_err(), AddressError::Timeout("x".to_owned()));
}

proptest! {
    #[test]
    fn no_text_breaks_it_and_no_password_is_shown(
        text in "[a-z%@:/?&=\\[\\],0-9]{0,40}", password in "[A-Z]{12}",
    ) {
        let _ = read(&text);
        if let Ok(logon) = read(&format!("joe:{password}@{text}")) {
            let shown = format!("{logon} {logon:?} {}", logon.place);
            prop_assert!(!shown.contains(&password), "{}", shown);
        }
    }

    #[test]
    fn any_user_and_password_can_be_written_in_percents(
        user in "[^\\x00]{1,12}", password in "[^\\x00]{1,12}",
    ) {
        let percents = |text: &str| {
            text.bytes().fold(String::new(), |all, byte| all + &format!("%{byte:02x}"))
        };
        let logon = read(&format!("{}:{}@h/d", percents(&user), percents(&password))).unwrap();
        prop_assert_eq!(logon.user, user);
        prop_assert_eq!(logon.password, Some(password));
    }
}
