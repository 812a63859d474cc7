//! Seeded random numbers for simulations: the same seed gives the same worlds on every machine.

/// xoshiro256++ (Blackman and Vigna, 2019), seeded by splitmix64.
#[derive(Clone, Debug)]
pub struct Random {
    state: [u64; 4],
}

impl Random {
    /// A stream for `seed`; `stream` tells apart the trials that share it.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut x = seed ^ stream.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(17);
        let mut next = || {
            x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = x;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            z ^ (z >> 31)
        };
        Self { state: [next(), next(), next(), next()] }
    }

    fn next(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Standard normal (Box and Muller, one of the pair).
    pub fn normal(&mut self) -> f64 {
        let u = 1.0 - self.uniform();
        let v = self.uniform();
        (-2.0 * u.ln()).sqrt() * (2.0 * std::f64::consts::PI * v).cos()
    }

    /// Gamma with the given shape and scale 1 (Marsaglia and Tsang, 2000).
    fn gamma(&mut self, shape: f64) -> f64 {
        if shape < 1.0 {
            let u = 1.0 - self.uniform();
            return self.gamma(shape + 1.0) * u.powf(1.0 / shape);
        }
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.normal();
            let v = (1.0 + c * x).powi(3);
            if v > 0.0 && (1.0 - self.uniform()).ln() < 0.5 * x * x + d - d * v + d * v.ln() {
                return d * v;
            }
        }
    }

    /// Student's t with `df` degrees of freedom, scaled to variance 1 where it has one; 0 means normal.
    pub fn student(&mut self, df: f64) -> f64 {
        if df <= 0.0 {
            return self.normal();
        }
        let x = self.normal() / (2.0 * self.gamma(0.5 * df) / df).sqrt();
        if df > 2.0 { x / (df / (df - 2.0)).sqrt() } else { x }
    }

    /// A whole number below `n` (which must be positive).
    pub fn below(&mut self, n: usize) -> usize {
        ((self.uniform() * n as f64) as usize).min(n.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(mut draw: impl FnMut(&mut Random) -> f64) -> (f64, f64) {
        let mut r = Random::new(1, 0);
        let n = 200_000;
        let xs: Vec<f64> = (0..n).map(|_| draw(&mut r)).collect();
        let mean = xs.iter().sum::<f64>() / f64::from(n);
        (mean, xs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / f64::from(n))
    }

    #[test]
    fn the_distributions_have_their_moments() {
        let (mean, variance) = moments(Random::normal);
        assert!(mean.abs() < 0.01 && (variance - 1.0).abs() < 0.02, "{mean} {variance}");
        let (mean, variance) = moments(|r| r.student(6.0));
        assert!(mean.abs() < 0.01 && (variance - 1.0).abs() < 0.04, "{mean} {variance}");
        let (mean, variance) = moments(|r| r.gamma(0.7));
        assert!((mean - 0.7).abs() < 0.01 && (variance - 0.7).abs() < 0.03, "{mean} {variance}");
    }

    #[test]
    fn a_seed_repeats_and_streams_differ() {
        let draw = |seed, stream| Random::new(seed, stream).uniform();
        assert_eq!(draw(3, 4), draw(3, 4));
        assert_ne!(draw(3, 4), draw(3, 5));
        assert_ne!(draw(3, 4), draw(4, 4));
    }
}
