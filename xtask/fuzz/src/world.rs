//! Operations on two worlds and the oracle of the simulator, `facade/sim`.

use hexphase_sim::Schedule;

/// Maximum number of bytes that are played: 40 operations.
const MAX_LEN: usize = 82;

/// Plays the schedule that the bytes encode.
///
/// # Panics
/// If a world differs from the oracle. The message has the schedule and the difference.
pub fn run(bytes: &[u8]) {
    let schedule = Schedule::of_bytes(&bytes[..bytes.len().min(MAX_LEN)]);
    let mut difference = None;
    // The allocator of the laws adds the sizes of all requests. Refused requests of nearly all
    // addresses would overflow its sum.
    allocation_counter::opt_out(|| difference = schedule.play().difference);
    if let Some(difference) = difference {
        panic!("{schedule}{difference}");
    }
}

/// Returns the seeds: all bytes as kinds of operations, in several configurations.
#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let kinds = |config: u8| (0..40u8).map(move |op| op.wrapping_mul(89).wrapping_add(config));
    let seed = |config| [config, 0].into_iter().chain(kinds(config).flat_map(|op| [op, !op]));
    (0..24).map(|config| seed(config).collect()).collect()
}
