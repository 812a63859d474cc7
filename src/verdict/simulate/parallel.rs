//! Many independent trials on all cores, with results in their order.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Trials that a thread takes at a time.
const CHUNK: usize = 64;

/// `work(0)`, `work(1)`, … `work(n - 1)`, on as many threads as the machine has cores. The result does not depend on how
/// many that are.
pub(crate) fn in_parallel<T: Send>(n: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(n.div_ceil(CHUNK)).max(1);
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Vec<T>)>> = Mutex::new(Vec::new());
    let run = || loop {
        let start = next.fetch_add(CHUNK, Ordering::Relaxed);
        if start >= n {
            return;
        }
        let results: Vec<T> = (start..n.min(start + CHUNK)).map(&work).collect();
        done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((start, results));
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(run);
        }
        run();
    });
    let mut chunks = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    chunks.sort_by_key(|c| c.0);
    chunks.into_iter().flat_map(|c| c.1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_trials() {
        assert_eq!(in_parallel(1_000, |i| i * i), (0..1_000).map(|i| i * i).collect::<Vec<_>>());
        assert!(in_parallel(0, |i| i).is_empty());
    }
}
