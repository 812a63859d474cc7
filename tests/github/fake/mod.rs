//! A GitHub that keeps state: comments, checks, statuses, pull requests, people, reactions, started workflows. One server for
//! all tests; each test has a repository of its own in it, so that the tests do not see each other.

mod described;
mod fault;
mod http;
mod prism;
mod routes;
mod state;

use std::{
    collections::HashMap,
    net::TcpListener,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, OnceLock,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use isugate::github::{Client, Options, retry::Patience, token::Token};

pub use fault::{Fault, On};
pub use prism::rig;
pub use state::Repository;

/// Who writes with a job's own token.
pub const JOB: &str = "github-actions[bot]";

/// The token that registers a runner.
pub const REGISTRATION: &str = "AABF3JGZDX3P5PMEXLND6TS6FCWO6";

/// The server.
pub struct Server {
    port: u16,
    repositories: Mutex<HashMap<String, Arc<Shared>>>,
}

/// One repository, with its faults.
pub struct Shared {
    pub state: Mutex<Repository>,
    pub faults: Mutex<Vec<(On, Fault)>>,
    pub meeting: (Mutex<u32>, Condvar),
    /// What was not as GitHub describes it.
    pub violations: Mutex<Vec<String>>,
}

/// One test's view of it.
pub struct World {
    pub name: String,
    pub token: String,
    shared: Arc<Shared>,
}

fn server() -> &'static Server {
    static SERVER: OnceLock<&'static Server> = OnceLock::new();
    SERVER.get_or_init(|| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server: &'static Server = Box::leak(Box::new(Server { port, repositories: Mutex::new(HashMap::new()) }));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                std::thread::spawn(move || http::serve(stream, server));
            }
        });
        server
    })
}

impl World {
    /// A private repository with pull request 7 of the branch `faster`.
    pub fn new() -> World {
        static COUNT: AtomicU32 = AtomicU32::new(1);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("team/isucon-{number}");
        let token = format!("ghs_{number:036}");
        let shared = Arc::new(Shared {
            state: Mutex::new(Repository::new(&name, &token)),
            faults: Mutex::default(),
            meeting: Default::default(),
            violations: Mutex::default(),
        });
        server().repositories.lock().unwrap().insert(name.clone(), shared.clone());
        World { name, token, shared }
    }

    /// Where the API is.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", server().port)
    }

    /// Where the API is behind Prism.
    pub fn checked_url(&self) -> String {
        format!("http://127.0.0.1:{}", prism::port(server().port))
    }

    /// The state, to look at and to change.
    pub fn state(&self) -> MutexGuard<'_, Repository> {
        self.shared.state.lock().unwrap()
    }

    /// The next request of a kind meets a fault. Several of one kind come one after the other.
    pub fn next(&self, on: On, fault: Fault) -> &World {
        self.shared.faults.lock().unwrap().push((on, fault));
        self
    }

    /// All is well again.
    pub fn clear_faults(&self) {
        self.shared.faults.lock().unwrap().clear();
    }

    /// Requests and answers that are not as GitHub describes them; forgotten then. At its end a world has none.
    pub fn violations(&self) -> Vec<String> {
        std::mem::take(&mut *self.shared.violations.lock().unwrap())
    }

    /// Our client, with little patience.
    pub fn client(&self) -> Client {
        self.client_at(&self.url())
    }

    /// Our client behind Prism.
    pub fn checked_client(&self) -> Client {
        self.client_at(&self.checked_url())
    }

    fn client_at(&self, url: &str) -> Client {
        let mut options = Options::new(url, &self.name, Token::new(&self.token));
        options.patience = Patience { tries: 4, first: Duration::from_millis(20), most: Duration::from_secs(5) };
        options.timeout = Duration::from_secs(10);
        Client::new(options).unwrap()
    }

    /// The comments' texts, the oldest first.
    pub fn comments(&self) -> Vec<String> {
        self.state().comments.iter().map(|comment| comment.body.clone()).collect()
    }

    /// How many requests of a kind came.
    pub fn count(&self, on: On) -> usize {
        self.state().requests.iter().filter(|request| **request == on).count()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let violations = self.violations();
        assert!(violations.is_empty() || std::thread::panicking(), "not as GitHub describes it: {violations:#?}");
    }
}
