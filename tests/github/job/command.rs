//! Slash commands.

use super::fixture::Job;

#[test]
fn bench_starts_the_workflow_with_the_head_pinned_and_others_may_not() {
    let job = Job::new("ghcmd", 70);
    let done = job.run(&job.comment("ann", "/bench --runs 3 --intent no-regression"));
    assert_eq!(done.status, Some(0), "{}", done.log);
    {
        let state = job.world.state();
        let started = &state.dispatches[0];
        assert_eq!(started["workflow"], "isugate.yml");
        assert_eq!(started["ref"], "main");
        assert_eq!(started["inputs"]["rev"], "b".repeat(40));
        assert_eq!(started["inputs"]["runs"], "3");
        assert_eq!(started["inputs"]["intent"], "no-regression");
        assert_eq!(started["inputs"]["pull-request"], "7");
        assert_eq!(state.reactions.last().unwrap().1, "+1");
    }
    for (author, reaction) in [("guest", "-1"), ("nobody", "-1")] {
        let done = job.run(&job.comment(author, "/bench"));
        assert_eq!(done.status, Some(2), "{}", done.log);
        assert_eq!(job.world.state().reactions.last().unwrap().1, reaction);
    }
    assert_eq!(job.world.state().dispatches.len(), 1);
    // A fork's pull request is none that may be started.
    job.world.state().pulls[0].3 = "eve/isucon".into();
    let done = job.run(&job.comment("ann", "/bench"));
    assert_ne!(done.status, Some(0), "{}", done.log);
    assert_eq!(job.world.state().dispatches.len(), 1);
}

#[test]
fn talk_is_no_command_and_a_wrong_command_is_answered() {
    let job = Job::new("ghtalk", 71);
    let quiet = job.run(&job.comment("guest", "looks good"));
    assert_eq!(quiet.status, Some(0));
    assert!(job.world.state().reactions.is_empty());
    let wrong = job.run(&job.comment("ann", "/bench --runs 1000"));
    assert_eq!(wrong.status, Some(2), "{}", wrong.log);
    assert_eq!(job.world.state().reactions.last().unwrap().1, "confused");
    assert!(job.world.comments().last().unwrap().contains("1 to 100"));
}

#[test]
fn a_decision_is_recorded_for_the_head_that_was_seen_and_answered_in_the_comment() {
    let job = Job::new("ghaccept", 72);
    let head = job.commit(r#"{"pass":false,"score":500}"#, "0");
    let none = job.run(&job.comment("ann", "/accept why not"));
    assert_eq!(none.status, Some(2), "no run yet: {}", none.log);
    job.run(&job.pull(&head));
    job.world.state().pulls[0].2 = head.clone();
    let done = job.run(&job.comment("ann", "/revert slow | <!-- x --> @team"));
    assert_eq!(done.status, Some(0), "{}", done.log);
    let comments = job.world.comments();
    let ours = comments.iter().find(|comment| comment.contains("isugate:decided")).unwrap();
    assert!(ours.contains("by ann: slow &#124; &lt;!-- x") && !ours.contains("@team"), "{ours}");
    assert!(job.git(&["log", "--oneline", "isugate-ledger"]).contains("revert by ann"));
    // The branch has moved on: nobody has seen what it does now.
    job.world.state().pulls[0].2 = "e".repeat(40);
    let moved = job.run(&job.comment("ann", "/revert slow"));
    assert_eq!(moved.status, Some(2), "{}", moved.log);
}

#[test]
fn status_and_unlock_ask_and_free_the_hosts() {
    let job = Job::new("ghlock", 73);
    let done = job.run(&job.comment("ann", "/status"));
    assert_eq!(done.status, Some(0), "{}", done.log);
    assert!(job.world.comments().last().unwrap().contains("app1: free"), "{:?}", job.world.comments());
    let head = job.commit(r#"{"pass":true,"score":1}"#, "30");
    let mut running = job.start(&job.push("main", &head));
    crate::rig::process::wait_for("the benchmark", std::time::Duration::from_secs(60), || {
        Ok(job.journal().contains(r#""stage":"bench""#).then_some(()))
    })
    .unwrap();
    let done = job.run(&job.comment("ann", "/unlock it hangs"));
    assert_eq!(done.status, Some(0), "{}", done.log);
    let said = job.world.comments().into_iter().find(|comment| comment.contains("isugate:decided")).unwrap();
    assert!(said.contains("it hangs") && said.contains("held by ann"), "{said}");
    crate::rig::process::signal("TERM", &[running.id()]).unwrap();
    running.wait().unwrap();
}

#[test]
fn after_a_decision_the_comment_shows_what_holds_and_beside_it_what_the_gate_said() {
    let job = Job::new("ghdecide", 58);
    let main = job.git(&["rev-parse", "HEAD"]).trim().to_owned();
    assert_eq!(job.run(&job.push("main", &main)).status, Some(0));
    let head = job.commit(r#"{"pass":true,"score":500}"#, "0");
    let status = job.program(&job.pull(&head)).env("ISUGATE_RUNS", "1").status().unwrap();
    let run = job.done(status.code());
    job.world.state().pulls[0].2 = head;
    let before = job.world.comments().remove(0);
    let heading = |text: &str| text.lines().find(|line| line.starts_with("## ")).unwrap_or_default().to_owned();
    let gate = heading(&before).split_whitespace().nth(2).unwrap().to_owned();
    assert_ne!(gate, "ACCEPT", "{}", run.log);
    let decide = |text: &str| {
        let event = job.comment("ann", text);
        let status = job.program(&event).env("GITHUB_RUN_ID", "43").status().unwrap();
        assert_eq!(status.code(), Some(0), "{}", job.done(None).log);
        job.world.comments().remove(0)
    };
    let ours = decide("/accept it closes a hole");
    assert!(heading(&ours).contains("ACCEPT · 500"), "{ours}");
    assert!(ours.contains("**decided by ann**") && ours.contains("- it closes a hole"), "{ours}");
    assert!(ours.contains(&format!("The gate's own verdict was {gate}")), "{ours}");
    assert!(ours.contains("Runs of this pull request (") && ours.contains("| accept | 500 | ann |"), "{ours}");
    assert!(
        ours.contains("/actions/runs/42)") && !ours.contains("/actions/runs/43"),
        "the run's log, not ours: {ours}"
    );
    // A second thought takes the first one's place.
    let ours = decide("/revert it opens another");
    assert!(heading(&ours).contains("REVERT · 500") && ours.contains("it opens another"), "{ours}");
    assert!(!ours.contains("closes a hole") && ours.contains(&format!("own verdict was {gate}")), "{ours}");
    assert_eq!(ours.matches("isugate:decided").count(), 2, "{ours}");
    // On a runner that has not the run's files: the sentence on top, the rest as it was.
    std::fs::remove_dir_all(job.repo.join(".isugate/runs")).unwrap();
    let elsewhere = decide("/accept after all");
    assert!(elsewhere.contains("accept by ann: after all") && heading(&elsewhere).contains("REVERT"), "{elsewhere}");
}

#[test]
fn the_comments_of_an_app_are_one_too_and_answers_follow_the_language() {
    let job = Job::new("ghapp", 57);
    job.world.state().app = Some("team-gate[bot]".into());
    let path = job.repo.join("isugate.yml");
    let text = std::fs::read_to_string(&path).unwrap() + "report: { language: ja }\n";
    std::fs::write(&path, text).unwrap();
    let head = job.git(&["rev-parse", "HEAD"]).trim().to_owned();
    for _ in 0..2 {
        assert_eq!(job.run(&job.pull(&head)).status, Some(0), "{}", job.done(None).log);
    }
    let done = job.run(&job.comment("ann", "/status"));
    assert_eq!(done.status, Some(0), "{}", done.log);
    let state = job.world.state();
    let ours: Vec<_> = state.comments.iter().filter(|comment| comment.author == "team-gate[bot]").collect();
    assert_eq!(ours.len(), 1, "{:?}", state.comments);
    let body = &ours[0].body;
    for words in ["ann が状態を尋ねました: app1: 空き", "このプルリクエストの実行 (2)", "このジョブのログ"]
    {
        assert!(body.contains(words), "{words} in {body}");
    }
    for english in ["Runs of this", "decided by", "evidence of this job"] {
        assert!(!body.contains(english), "{english} in {body}");
    }
}
