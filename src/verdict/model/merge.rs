//! Brings together the components whose stories have come to the same.
//!
//! Where the low mode is shallow, most paths of modes are about as likely as each other and lead to nearly the same level
//! and effect: they are one component with the same two moments. Where it is deep, paths stay apart, since their levels do.

use super::bank::{Component, DEPTH, EFFECT, LEVEL};
use super::prior::DEPTHS;

/// Components come together if their effects (and levels) lie within this many standard deviations of each other.
const WIDTH: f64 = 6.0;

/// Components under way of being brought together.
pub(crate) struct Cells<const N: usize> {
    sums: Vec<Component<N>>,
    centre: Vec<[f64; N]>,
    keys: Vec<u64>,
    slots: Vec<u32>,
    mask: usize,
}

impl<const N: usize> Cells<N> {
    pub(crate) fn new(members: usize) -> Self {
        let size = (2 * members).next_power_of_two().max(16);
        Self {
            sums: Vec::with_capacity(members),
            centre: Vec::with_capacity(members),
            keys: Vec::with_capacity(members),
            slots: vec![u32::MAX; size],
            mask: size - 1,
        }
    }

    /// Adds a component to its cell.
    pub(crate) fn add(&mut self, mut c: Component<N>) {
        let key = key(&c);
        let mut slot = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize & self.mask;
        loop {
            let at = self.slots[slot];
            if at == u32::MAX {
                self.slots[slot] = self.sums.len() as u32;
                self.keys.push(key);
                self.centre.push(c.state.mean);
                for i in 0..N {
                    c.state.mean[i] = 0.0;
                    for j in 0..N {
                        c.state.cov[i][j] *= c.weight;
                    }
                }
                for h in &mut c.habits {
                    *h *= c.weight;
                }
                self.sums.push(c);
                return;
            }
            if self.keys[at as usize] == key {
                self.join(at as usize, &c);
                return;
            }
            slot = (slot + 1) & self.mask;
        }
    }

    #[inline(always)]
    fn join(&mut self, at: usize, c: &Component<N>) {
        let (sum, centre) = (&mut self.sums[at], &self.centre[at]);
        let w = c.weight;
        let mut d = [0.0; N];
        for i in 0..N {
            d[i] = c.state.mean[i] - centre[i];
        }
        for i in 0..N {
            sum.state.mean[i] += w * d[i];
            for j in 0..N {
                sum.state.cov[i][j] += w * (c.state.cov[i][j] + d[i] * d[j]);
            }
        }
        for (s, h) in sum.habits.iter_mut().zip(&c.habits) {
            *s += w * h;
        }
        sum.weight += w;
    }

    /// The components, each with the weight and the first two moments of its cell.
    pub(crate) fn finish(mut self) -> Vec<Component<N>> {
        for (c, centre) in self.sums.iter_mut().zip(&self.centre) {
            let scale = 1.0 / c.weight;
            let mut d = [0.0; N];
            for i in 0..N {
                d[i] = c.state.mean[i] * scale;
                c.state.mean[i] = centre[i] + d[i];
            }
            for i in 0..N {
                for j in 0..N {
                    c.state.cov[i][j] = c.state.cov[i][j] * scale - d[i] * d[j];
                }
            }
            for h in &mut c.habits {
                *h *= scale;
            }
        }
        self.sums
    }
}

/// Which of the prior's depths a depth is nearest to.
pub(crate) fn class_of(depth: f64) -> usize {
    let mut class = 0;
    for (i, pair) in DEPTHS.windows(2).enumerate() {
        if depth > 0.0 && depth * depth > pair[0] * pair[1] {
            class = i + 1;
        }
    }
    class
}

/// The cell of a component: noise, mode of the last run, class of the depth, and where level and effect lie.
fn key<const N: usize>(c: &Component<N>) -> u64 {
    let class = if c.met_low { 1 + class_of(c.state.mean[DEPTH]) } else { 0 };
    let mut key = (c.noise * 8 + class) as u64 * 4 + c.before as u64;
    let mut place = |i: usize| {
        let deviation = c.state.cov[i][i].max(1e-12).sqrt();
        // A power of two near the deviation, so that components of about the same deviation share their cells.
        let exponent = deviation.to_bits() >> 52;
        let step = WIDTH * f64::from_bits(exponent << 52);
        let cell = (c.state.mean[i] / step).floor() as i64;
        key = (key << 24) ^ (exponent << 16) ^ (cell as u64 & 0xFFFF);
    };
    place(LEVEL);
    if N > EFFECT {
        place(EFFECT);
    }
    key
}
