//! Bytes as a datagram of the game over UDP, and as commands of a player.
//!
//! A byte of 0 is followed by a datagram, other bytes by commands of a game of a few ships.

use std::cell::RefCell;

use ggrs::Message;
use hexphase::Plain as _;
use hexphase_fleet::{Command, Game, Saved, Settings};

use crate::packet::{self, Datagram, End, Note};
use crate::terms::{Terms, TermsDiffer};

/// Maximum number of ticks of a game.
const MAX_TICKS: usize = 40;

thread_local! {
    /// A game and its first state.
    static GAME: RefCell<(Game, Saved)> = {
        let settings = Settings { ships: 12, bullets: 6, ..Settings::default() };
        let mut game = Game::new(settings).expect("memory for a few ships");
        let mut saved = Saved::default();
        game.save(&mut saved);
        RefCell::new((game, saved))
    };
}

/// Reads the bytes as a datagram or as commands.
///
/// # Panics
/// If a datagram is accepted, but written differently.
pub fn run(bytes: &[u8]) {
    match bytes.split_first() {
        Some((0, datagram)) => read(datagram),
        Some((_, commands)) => play(commands),
        None => {}
    }
}

fn read(bytes: &[u8]) {
    let mut written = Vec::new();
    match packet::read(&bytes[..bytes.len().min(packet::MAX_LEN)]) {
        Some(Datagram::Note(note)) => {
            packet::write_note(&note, &mut written);
            assert_eq!(written, bytes);
            if let Note::Hello(there) | Note::Refuse(there) = note {
                let differ = TermsDiffer { here: terms(), there }.to_string();
                assert!(!differ.is_empty() && !differ.contains('\n'), "{differ}");
            }
        }
        Some(Datagram::Game(message)) => {
            let Ok(message) = bincode::deserialize::<Message>(message) else { return };
            packet::write_game(&message, &mut written).expect("a message that was read");
            assert!(matches!(packet::read(&written), Some(Datagram::Game(_))));
        }
        None => {}
    }
}

/// Plays commands of two players, and again from the first state, which must give the same state.
fn play(bytes: &[u8]) {
    let commands: Vec<[Command; 2]> = bytes
        .as_chunks::<8>()
        .0
        .iter()
        .map(|bytes| [0, 4].map(|at| packet::to_command(bytes.as_chunks().0[at / 4])))
        .take(MAX_TICKS)
        .collect();
    GAME.with_borrow_mut(|(game, first)| {
        let mut play = || {
            game.load(first).expect("a state of this game");
            for commands in &commands {
                game.advance(commands).expect("memory for a few ships");
            }
            game.save(&mut Saved::default())
        };
        assert_eq!(play(), play(), "the state after the same commands");
        game.forget(0);
    });
}

fn terms() -> Terms {
    Terms { settings: Settings::default(), ticks: 7, first: 8 }
}

/// Returns the seeds: all notes, the beginning of a packet, and commands.
#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let end = End { differs: true, seen: false, tick: 5, own: 6, other: 7 };
    let notes =
        [Note::Hello(terms()), Note::Welcome, Note::Refuse(terms()), Note::Busy, Note::End(end)];
    let note = |note: Note| {
        let mut bytes = Vec::new();
        packet::write_note(&note, &mut bytes);
        [&[0], &bytes[..]].concat()
    };
    let mut seeds: Vec<_> = notes.into_iter().map(note).collect();
    // The bodies of GGRS messages have the numbers from 0 to 6.
    seeds.extend((0..7u8).map(|body| {
        let numbers = [0u8, body, 0, 0, 0].into_iter().chain([1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]);
        [0].into_iter().chain(*b"hxf2\0\x07").chain(numbers).chain([0; 40]).collect()
    }));
    for squad in 0..4u8 {
        let mut bytes = vec![1];
        for tick in 0..20u8 {
            let turn = (tick as i8).wrapping_mul(37);
            Command { squad: squad + tick % 17, thrust: 3, turn, fire: 1 }.write(&mut bytes);
        }
        seeds.push(bytes);
    }
    seeds
}
