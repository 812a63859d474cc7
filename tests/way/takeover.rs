//! A directory that was there before isugate: nothing in it is lost from sight, and it comes back when the first deploy fails.

use anyhow::Result;

use super::field::Field;

/// Both hosts have a tree that nobody told isugate about, with files that no commit holds.
fn with_tree() -> Result<Field> {
    let field = Field::new()?;
    for place in [&field.app1, &field.app2] {
        for file in ["service.sh", "ready.sh", "build.sh", "version", "score", "errors"] {
            let text = std::fs::read_to_string(field.repo().join(file))?;
            place.write(&format!("webapp/{file}"), &text)?;
        }
        place.write("webapp/version", "by hand\n")?;
        place.write("webapp/uploads/1.png", "picture")?;
        place.write("webapp/my.log", "line")?;
    }
    Ok(field)
}

#[test]
fn files_that_no_commit_holds_are_listed_and_nothing_is_changed() -> Result<()> {
    let field = with_tree()?;
    let run = field.isugate(&["bench"])?.exits(23);
    run.says(&[
        "app1:",
        "webapp holds what the commit does not",
        "my.log",
        "uploads",
        "deploy.shared",
        "nothing was changed",
    ])
    .says(&["app1: a directory that isugate did not make", "app2: a directory that isugate did not make"]);
    assert_eq!((field.app1.release(), field.app1.read("webapp/uploads/1.png")), (None, "picture".into()));
    field.tidy()
}

#[test]
fn shared_paths_stay_and_the_original_is_kept() -> Result<()> {
    let mut field = with_tree()?;
    field.configure("deploy:\n", "deploy:\n  shared: [uploads]\n  leave_behind: [\"*.log\"]\n")?;
    field.isugate(&["bench"])?.exits(0);
    field.serves("v1")?;
    let upload = field.servers.app1.access().run(&format!("cat '{}/webapp/uploads/1.png'", field.app1.dir))?;
    assert_eq!(upload, "picture");
    assert_eq!(field.app1.read("webapp.isugate/releases/original/my.log"), "line");
    field.commit("v2", &[("score", "5000")])?;
    field.isugate(&["bench"])?.exits(0);
    assert_eq!(field.servers.app2.access().run(&format!("cat '{}/webapp/uploads/1.png'", field.app2.dir))?, "picture");
    field.tidy()
}

#[test]
fn the_original_directory_runs_again_when_the_first_deploy_fails() -> Result<()> {
    let mut field = with_tree()?;
    field.configure("deploy:\n", "deploy:\n  shared: [uploads]\n  leave_behind: [\"*.log\"]\n")?;
    field.commit("v2", &[("never-ready", "x")])?;
    let run = field.isugate(&["bench"])?.exits(24);
    run.says(&["app1: back on what was there before isugate", "app2: back on what was there before isugate"]);
    for place in [&field.app1, &field.app2] {
        assert_eq!((place.release().as_deref(), place.read("run/version").as_str()), (Some("original"), "by hand"));
    }
    let upload = field.servers.app1.access().run(&format!("cat '{}/webapp/uploads/1.png'", field.app1.dir))?;
    assert_eq!(upload, "picture");
    field.tidy()
}
