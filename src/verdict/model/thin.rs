//! Keeps a bank of weighted components small without losing the weight that many unlikely ones have together.
//!
//! Of the components lighter than a threshold `c` some stay, each with weight `c`, so that the sum of their weights is
//! what it was; the heavier ones stay as they are (Fearnhead and Clifford, "On-line inference for hidden Markov models
//! via particle filters", 2003, with systematic choice and no chance).

/// Components lighter than this share of the heaviest are dropped outright (e^-14).
const NOTHING: f64 = 8.3e-7;

/// Sums go over this many lanes, so that the compiler may add them side by side in an order that never changes.
const LANES: usize = 8;

/// Indices that stay, each with its new weight; the weights sum to one. About `keep` of them at most.
pub(crate) fn thin(weights: &[f64], keep: usize) -> Vec<(usize, f64)> {
    let floor = NOTHING * largest(weights);
    let (count, total) = above(weights, floor);
    if total <= 0.0 {
        return Vec::new();
    }
    let scale = 1.0 / total;
    if count <= keep {
        return weights.iter().enumerate().filter(|w| *w.1 > floor).map(|(i, w)| (i, w * scale)).collect();
    }
    let c = threshold(weights, floor, count, total, keep);
    stay(weights, floor, c, scale, keep + 1)
}

/// Thins only what is lighter than `share` of the whole; indices with weights that sum to one.
pub(crate) fn thin_light(weights: &[f64], share: f64) -> Vec<(usize, f64)> {
    let floor = NOTHING * largest(weights);
    let (count, total) = above(weights, floor);
    if total <= 0.0 {
        return Vec::new();
    }
    stay(weights, floor, share * total, 1.0 / total, count)
}

/// Every weight above `c` stays as it is; of the lighter ones some stay with weight `c`.
fn stay(weights: &[f64], floor: f64, c: f64, scale: f64, room: usize) -> Vec<(usize, f64)> {
    let mut kept = Vec::with_capacity(room);
    let (inverse, light) = (1.0 / c, c * scale);
    let mut steps = 0.5;
    for (i, &w) in weights.iter().enumerate() {
        if w > c {
            kept.push((i, w * scale));
        } else if w > floor {
            steps += w * inverse;
            if steps >= 1.0 {
                steps -= 1.0;
                kept.push((i, light));
            }
        }
    }
    kept
}

/// The `c` with `sum of min(w / c, 1) = keep`, from above: each round moves what is heavier than `c` out of the sum.
fn threshold(weights: &[f64], floor: f64, count: usize, total: f64, keep: usize) -> f64 {
    let mut c = total / keep as f64;
    let mut heavy_before = 0;
    // The number of heavy ones only grows, so this ends: among equal weights rounding could send it back and forth.
    loop {
        let (heavy, weight) = above(weights, c.max(floor));
        if heavy >= keep || heavy <= heavy_before || heavy >= count {
            return c;
        }
        heavy_before = heavy;
        c = (total - weight) / (keep - heavy) as f64;
    }
}

fn largest(weights: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    let chunks = weights.chunks_exact(LANES);
    let rest = chunks.remainder();
    for chunk in chunks {
        for j in 0..LANES {
            lanes[j] = if chunk[j] > lanes[j] { chunk[j] } else { lanes[j] };
        }
    }
    rest.iter().chain(&lanes).copied().fold(0.0, f64::max)
}

/// How many weights are above `c`, and their sum.
fn above(weights: &[f64], c: f64) -> (usize, f64) {
    let (mut sums, mut counts) = ([0.0; LANES], [0.0; LANES]);
    let chunks = weights.chunks_exact(LANES);
    let rest = chunks.remainder();
    for chunk in chunks {
        for j in 0..LANES {
            sums[j] += if chunk[j] > c { chunk[j] } else { 0.0 };
            counts[j] += if chunk[j] > c { 1.0 } else { 0.0 };
        }
    }
    let (mut sum, mut count): (f64, f64) = (sums.iter().sum(), counts.iter().sum());
    for &w in rest {
        if w > c {
            sum += w;
            count += 1.0;
        }
    }
    (count as usize, sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_light_components_keep_their_weight_together() {
        let mut weights = vec![1.0; 40];
        weights.extend(std::iter::repeat_n(1e-3, 5_000));
        let kept = thin(&weights, 100);
        assert!(kept.len() <= 101, "{}", kept.len());
        let light: f64 = kept.iter().filter(|k| k.0 >= 40).map(|k| k.1).sum();
        assert!((light - 5.0 / 45.0).abs() < 0.002, "{light}");
        let total: f64 = kept.iter().map(|k| k.1).sum();
        assert!((total - 1.0).abs() < 0.02, "{total}");
    }

    #[test]
    fn equal_weights_do_not_send_the_threshold_back_and_forth() {
        for n in 10..400usize {
            let weights: Vec<f64> = (0..n).map(|i| 0.1 / (1 + i % 7 / 3 * (i % 5)) as f64).collect();
            for keep in [3, 7, 50, 150] {
                let kept = thin(&weights, keep);
                assert!(kept.len() <= n.min(keep + 1), "{n} {keep}: {}", kept.len());
            }
        }
    }

    #[test]
    fn a_small_bank_is_only_normalised() {
        assert_eq!(thin(&[1.0, 3.0], 10), [(0, 0.25), (1, 0.75)]);
        assert!(thin(&[0.0, 0.0], 10).is_empty());
    }
}
