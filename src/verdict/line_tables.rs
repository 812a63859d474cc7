//! The calibrated stopping lines, by intent and budget.
//!
//! Found by `isugate simulate --calibrate` (`--budget`, `--intent`) and rounded; see `lines` for what they mean.

use std::sync::OnceLock;

use super::lines::Table;

/// For the intent `gain`, by rising budget.
pub(crate) fn gain() -> &'static [Table] {
    static TABLES: OnceLock<Vec<Table>> = OnceLock::new();
    TABLES.get_or_init(|| {
        vec![
            Table {
                budget: 1.0,
                at: vec![1.0],
                accept: vec![2.20],
                give_up: vec![-2.90],
                not_big: vec![-2.90],
                not_huge: -2.35,
                sure: 2.20,
                clear: 1.20,
            },
            Table {
                budget: 4.0,
                at: vec![1.0, 2.0, 3.0, 4.0],
                accept: vec![2.40, 2.25, 2.05, 1.75],
                give_up: vec![-2.40, -2.40, -2.39, -2.38],
                not_big: vec![-2.60, -2.80, -2.40, 9.0],
                not_huge: -2.35,
                sure: 2.10,
                clear: -1.80,
            },
            Table {
                budget: 12.0,
                at: vec![1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0, 12.0],
                accept: vec![3.90, 3.85, 3.75, 3.60, 3.30, 3.00, 2.48, 1.76],
                give_up: vec![-0.75, -0.55, -0.32, -0.12, 0.08, 0.42, 0.80, 1.40],
                not_big: vec![-4.20, -3.60, -3.20, -3.20, -1.95, 9.0, 9.0, 9.0],
                not_huge: -2.35,
                sure: 2.10,
                clear: 0.30,
            },
            Table {
                budget: 24.0,
                at: vec![1.0, 2.0, 3.0, 4.0, 8.0, 12.0, 16.0, 20.0, 24.0],
                accept: vec![2.60, 2.52, 2.50, 2.49, 2.45, 2.43, 2.42, 2.35, 2.10],
                give_up: vec![-1.88, -1.60, -1.30, -0.98, -0.60, 0.06, 0.75, 1.20, 1.62],
                not_big: vec![-4.20, -3.60, -3.30, -3.20, -2.00, -1.54, 9.0, 9.0, 9.0],
                not_huge: -2.35,
                sure: 2.47,
                clear: -2.40,
            },
        ]
    })
}

/// For the intent `no-regression`, by rising budget.
pub(crate) fn no_regression() -> &'static [Table] {
    static TABLES: OnceLock<Vec<Table>> = OnceLock::new();
    TABLES.get_or_init(|| {
        vec![
            Table {
                budget: 1.0,
                at: vec![1.0],
                accept: vec![2.30],
                give_up: vec![-3.30],
                not_big: vec![-3.20],
                not_huge: -2.35,
                sure: 2.30,
                clear: -1.90,
            },
            Table {
                budget: 4.0,
                at: vec![1.0, 2.0, 3.0, 4.0],
                accept: vec![2.40, 2.20, 1.95, 1.50],
                give_up: vec![-3.20, -2.90, -2.60, -2.40],
                not_big: vec![-3.20, -3.20, -2.80, 9.0],
                not_huge: -2.35,
                sure: 2.05,
                clear: -1.90,
            },
            Table {
                budget: 12.0,
                at: vec![1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0, 12.0],
                accept: vec![2.60, 2.45, 2.28, 2.15, 2.02, 1.90, 1.80, 1.58],
                give_up: vec![-4.10, -4.00, -3.80, -3.50, -3.15, -2.60, -1.93, -1.15],
                not_big: vec![-4.20, -3.50, -3.25, -3.00, -2.60, 9.0, 9.0, 9.0],
                not_huge: -2.35,
                sure: 2.08,
                clear: -2.50,
            },
            Table {
                budget: 24.0,
                at: vec![1.0, 2.0, 3.0, 4.0, 8.0, 12.0, 16.0, 20.0, 24.0],
                accept: vec![2.35, 2.25, 2.17, 2.12, 2.10, 2.06, 2.02, 1.97, 1.80],
                give_up: vec![-4.50, -4.30, -4.10, -3.80, -3.40, -2.90, -2.40, -1.76, -1.10],
                not_big: vec![-3.90, -3.60, -3.20, -3.00, -2.15, 9.0, 9.0, 9.0, 9.0],
                not_huge: -2.35,
                sure: 1.95,
                clear: -3.80,
            },
        ]
    })
}
