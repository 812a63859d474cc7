//! What a run's events mean for the check's page, and how often it is told.

use std::time::Duration;

use tokio::sync::watch;

use super::page;
use crate::{
    github::check::Page,
    report::{Event, Events, Stage, number},
    text,
};

/// How often the check is updated at most: GitHub counts writes.
pub(super) const PACE: Duration = Duration::from_secs(5);

/// How far a run is.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct State {
    /// The run's id.
    pub run: Option<String>,
    /// What goes on.
    pub stage: Option<Stage>,
    /// What is done: the stage, what came out, whether it was right.
    pub done: Vec<(Stage, String, bool)>,
    /// Who holds the hosts that we wait for.
    pub waiting: Option<String>,
}

/// Passes events on and keeps the state that they make.
pub(super) fn watch(events: Events) -> (Events, watch::Receiver<State>) {
    let (sender, receiver) = watch::channel(State::default());
    let tee = Events::to(move |event| {
        events.emit(event.clone());
        sender.send_if_modified(|state| state.take(event));
    });
    (tee, receiver)
}

impl State {
    /// Takes an event in; whether it changed anything that is shown.
    fn take(&mut self, event: &Event) -> bool {
        match event {
            Event::RunBegan { id, .. } => self.run = Some(id.clone()),
            Event::Began { stage } => self.stage = Some(*stage),
            Event::Ended { stage, took, outcome, ok } => {
                self.stage = None;
                self.waiting = None;
                self.done.push((*stage, format!("{outcome} ({})", number::duration(*took)), *ok));
            }
            // While the hosts are being taken, the warnings say who has them.
            Event::Warning { text } if self.stage == Some(Stage::Lease) => self.waiting = Some(text.clone()),
            _ => return false,
        }
        true
    }

    /// The check's page.
    pub fn page(&self) -> Page {
        let title = match (&self.waiting, self.stage) {
            (Some(waiting), _) => text::terminal_line(waiting),
            (None, Some(stage)) => format!("running: {}", stage.name()),
            (None, None) => "running".into(),
        };
        let mut summary = String::new();
        if let Some(waiting) = &self.waiting {
            summary.push_str(&format!("⏳ {}\n\n", text::markdown(waiting)));
        }
        for (stage, outcome, ok) in &self.done {
            let sign = if *ok { "✔" } else { "✘" };
            summary.push_str(&format!("- {sign} {}: {}\n", stage.name(), text::markdown(&page::fit(outcome, 300))));
        }
        if let Some(stage) = self.stage {
            summary.push_str(&format!("- … {}\n", stage.name()));
        }
        if summary.is_empty() {
            summary.push_str("begins\n");
        }
        Page { title, summary, annotations: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_holds_the_hosts_is_shown_while_waiting_and_no_longer() {
        let (events, receiver) = watch(Events::none());
        events.emit(Event::Began { stage: Stage::Lease });
        events.warn("waiting: app1: held by bob | <b>");
        let page = receiver.borrow().page();
        assert!(page.title.contains("held by bob"), "{}", page.title);
        assert!(page.summary.contains("held by bob &#124; &lt;b&gt;"), "{}", page.summary);
        events.emit(Event::Ended { stage: Stage::Lease, took: PACE, outcome: "2 hosts".into(), ok: true });
        let page = receiver.borrow().page();
        assert!(!page.summary.contains("bob") && page.summary.contains("✔ lease: 2 hosts"), "{}", page.summary);
    }
}
