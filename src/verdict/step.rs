use super::*;
use crate::config::shape::{CodesConfig, Intent, Language, Preset};
pub struct Request {
    pub history: Vec<RunFacts>,
    pub baseline: Option<String>,
    pub candidate: String,
    pub today: Vec<RunFacts>,
    pub preset: Preset,
    pub intent: Intent,
    pub budget_runs: Option<usize>,
    pub codes: CodesConfig,
    pub contest: Option<String>,
    pub language: Language,
}
pub struct Answer {
    pub verdict: Option<Verdict>,
    pub next: Option<Side>,
    pub reasons: Vec<String>,
    pub noise: Vec<String>,
    pub codes: Vec<correctness::CodeRow>,
}
pub fn answer(r: &Request) -> Answer {
    let cand: Vec<&RunFacts> = r.today.iter().filter(|x| x.commit == r.candidate).collect();
    let base: Vec<&RunFacts> = r.history.iter().filter(|x| Some(&x.commit) == r.baseline.as_ref()).collect();
    let f = correctness::judge(&cand, &base, &policy::CodePolicy::default(), code_names::isucon14);
    let verdict = if f.reverts() {
        Verdict::Revert
    } else if cand.iter().filter_map(|x| x.score).max() > base.iter().filter_map(|x| x.score).max() {
        Verdict::Accept
    } else {
        Verdict::Inconclusive
    };
    Answer { verdict: Some(verdict), next: None, reasons: vec![format!("stub")], noise: vec![], codes: f.rows }
}
