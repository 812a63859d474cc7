//! Hosts that cannot be reached: each is named with what is wrong and what to do, and nothing is touched anywhere.

use anyhow::Result;

use super::field::Field;

fn untouched(field: &Field) -> Result<()> {
    assert_eq!((field.app1.release(), field.app2.release()), (None, None));
    assert!(field.journal().contains(&"check failed".to_owned()), "{:?}", field.journal());
    assert_eq!(field.verdicts()?.len(), 0);
    field.tidy()
}

#[test]
fn each_host_that_is_wrong_is_named_with_what_is_wrong_and_what_to_do() -> Result<()> {
    let field = Field::apart()?;
    let servers = field.servers.clone();

    servers.app2.stop()?;
    let down = ["app2: cannot be reached at app2", "Connection refused", "next:", "ssh app2 true"];
    field.isugate(&["bench"])?.exits(20).says(&down).within(15);
    untouched(&field)?;

    servers.app1.forget_host_key()?;
    let unknown = ["app1: no key of app1 is in known_hosts", "ssh-keyscan"];
    field.isugate(&["bench"])?.exits(21).says(&unknown).says(&down);
    untouched(&field)?;

    servers.app2.start_again()?;
    let keys = servers.bench.known_hosts().with_file_name("authorized_keys");
    std::fs::write(keys, "")?;
    let denied = ["bench: bench refused the login", "ermission denied", "authorized_keys"];
    field.isugate(&["check"])?.exits(21).says(&denied).says(&unknown);
    untouched(&field)
}

#[test]
fn a_changed_host_key_and_a_refused_login_have_their_own_exit_status() -> Result<()> {
    let field = Field::apart()?;
    let keys = field.servers.bench.known_hosts().with_file_name("authorized_keys");
    let text = std::fs::read_to_string(&keys)?;
    std::fs::write(&keys, "")?;
    field.isugate(&["bench"])?.exits(20).says(&["bench: bench refused the login", "authorized_keys there", "next:"]);
    untouched(&field)?;
    std::fs::write(&keys, text)?;
    field.servers.app1.change_host_key()?;
    let changed = ["app1: the key of app1 is not the one in known_hosts", "ssh-keygen -R", "in between"];
    field.isugate(&["bench"])?.exits(21).says(&changed);
    untouched(&field)
}
