//! Tests of the game: golden hashes, rollback, and peers that must agree.

mod golden;
mod peers;
