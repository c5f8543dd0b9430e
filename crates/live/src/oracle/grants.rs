//! What a user may not read, and the statements that change it.

use isotherm_oracle::identifier;

/// The statements that let `user` read `views`, written as synonyms are: `gv$instance`. A grant
/// must name the view itself, `SYS.GV_$INSTANCE`: on the synonym it fails with ORA-02030.
pub(crate) fn grants(views: &[String], user: &str) -> String {
    let user = identifier(user);
    let lines = views.iter().map(|view| {
        let view = view.to_uppercase().replacen('$', "_$", 1);
        format!("  GRANT SELECT ON SYS.{view} TO {user};")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// ORA-00942: what exists may not be read, or does not exist; ORA-01031 and ORA-41900: a privilege is missing.
pub(crate) const MAY_NOT_READ: [u32; 3] = [942, 1_031, 41_900];

/// The user in `user@host:port/service`; a place to fill in where there is none.
pub(crate) fn user_of(name: &str) -> &str {
    let user = name.split('@').next().unwrap_or_default();
    let plain = !user.is_empty() && !user.contains([' ', '/', '(']);
    if plain { user } else { "USER" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grants_name_the_view_and_not_its_synonym() {
        let views = ["gv$event_histogram_micro".to_owned(), "v$event_name".to_owned()];
        assert_eq!(
            grants(&views, "mon"),
            "  GRANT SELECT ON SYS.GV_$EVENT_HISTOGRAM_MICRO TO mon;\n  \
             GRANT SELECT ON SYS.V_$EVENT_NAME TO mon;"
        );
        assert_eq!(user_of("mon@db:1521/S"), "mon");
        assert_eq!(user_of("sqlplus / as sysdba"), "USER");
    }
}
