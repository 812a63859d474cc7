//! Any bytes, as any format, by any channel: no panic, no hang, and nothing becomes a pass that must not be one.

#![no_main]

#[path = "../properties.rs"]
mod properties;

use isugate::result::Format;
use libfuzzer_sys::fuzz_target;
use properties::{By, check};

fuzz_target!(|data: &[u8]| {
    let [format, by, chunk, input @ ..] = data else { return };
    let format = Format::ALL[usize::from(*format) % Format::ALL.len()];
    let by = By::ALL[usize::from(*by) % By::ALL.len()];
    check(format, by, input, usize::from(*chunk));
});
