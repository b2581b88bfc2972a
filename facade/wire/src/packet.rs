//! Datagrams between two processes.
//!
//! ```text
//! 0      4      5
//! +------+------+----------------------------------------+
//! | hxf1 | kind | numbers of a note, or a packet of GGRS |
//! +------+------+----------------------------------------+
//! ```
//!
//! Numbers are little-endian and have 8 bytes. A datagram that begins differently, or whose length
//! does not fit its kind, is ignored.

use hexphase_fleet::Command;

use crate::terms::Terms;

/// The first bytes of each datagram. The last byte is the version of the format.
const BEGIN: [u8; 4] = *b"hxf1";
/// Maximum length of a datagram in bytes.
pub(crate) const MAX_LEN: usize = 4096;

/// A datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Datagram<'a> {
    /// A packet of GGRS.
    Game(&'a [u8]),
    /// A message outside of GGRS.
    Note(Note),
}

/// A message outside of GGRS: before the game and at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Note {
    /// The connecting side requests a game with these terms.
    Hello(Terms),
    /// The listening side agrees to the terms.
    Welcome,
    /// The listening side refuses, with its own terms. The connecting side confirms with its terms.
    Refuse(Terms),
    /// The listening side already plays with another process.
    Busy,
    /// The game has ended for the sender.
    End(End),
}

/// The end of a game, as reported by the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct End {
    /// Set if the states before `tick` differ. Otherwise `tick` is the last tick.
    pub(crate) differs: bool,
    /// Set if the sender has received the end of the other side.
    pub(crate) seen: bool,
    /// The tick.
    pub(crate) tick: u64,
    /// Hash of the sender's state before the tick.
    pub(crate) own: u64,
    /// Hash of the receiver's state, if the states differ.
    pub(crate) other: u64,
}

const GAME: u8 = 0;
const HELLO: u8 = 1;
const WELCOME: u8 = 2;
const REFUSE: u8 = 3;
const BUSY: u8 = 4;
const END: u8 = 5;

/// Writes a packet of GGRS as a datagram.
pub(crate) fn write_game(message: &ggrs::Message, out: &mut Vec<u8>) -> Result<(), bincode::Error> {
    begin(GAME, out);
    bincode::serialize_into(out, message)
}

/// Writes a note as a datagram.
pub(crate) fn write_note(note: &Note, out: &mut Vec<u8>) {
    let (kind, numbers) = match note {
        Note::Hello(terms) => (HELLO, terms.to_numbers().to_vec()),
        Note::Welcome => (WELCOME, Vec::new()),
        Note::Refuse(terms) => (REFUSE, terms.to_numbers().to_vec()),
        Note::Busy => (BUSY, Vec::new()),
        Note::End(End { differs, seen, tick, own, other }) => {
            (END, vec![u64::from(*differs) | u64::from(*seen) << 1, *tick, *own, *other])
        }
    };
    begin(kind, out);
    out.extend(numbers.into_iter().flat_map(u64::to_le_bytes));
}

fn begin(kind: u8, out: &mut Vec<u8>) {
    out.clear();
    out.extend(BEGIN);
    out.push(kind);
}

/// Reads a datagram; `None` if it is not of this game.
pub(crate) fn read(bytes: &[u8]) -> Option<Datagram<'_>> {
    let (&kind, body) = bytes.strip_prefix(&BEGIN)?.split_first()?;
    if kind == GAME {
        return Some(Datagram::Game(body));
    }
    let (words, rest) = body.as_chunks::<8>();
    let numbers: Vec<u64> = words.iter().map(|&word| u64::from_le_bytes(word)).collect();
    let note = match (kind, &numbers[..]) {
        (HELLO, numbers) => Note::Hello(Terms::from_numbers(numbers)?),
        (WELCOME, []) => Note::Welcome,
        (REFUSE, numbers) => Note::Refuse(Terms::from_numbers(numbers)?),
        (BUSY, []) => Note::Busy,
        (END, &[flags @ 0..=3, tick, own, other]) => {
            Note::End(End { differs: flags & 1 != 0, seen: flags & 2 != 0, tick, own, other })
        }
        _ => return None,
    };
    rest.is_empty().then_some(Datagram::Note(note))
}

/// The input of a player in GGRS, as bytes; all zeros are [`Command::NONE`].
pub(crate) type Input = [u8; 4];

/// Returns a command as bytes.
pub(crate) const fn to_input(command: Command) -> Input {
    let Command { squad, thrust, turn, fire } = command;
    [squad, thrust, turn as u8, fire]
}

/// Returns the command for bytes. Any bytes are a command, because the game limits the values.
pub(crate) const fn to_command([squad, thrust, turn, fire]: Input) -> Command {
    Command { squad, thrust, turn: turn as i8, fire }
}

#[cfg(test)]
mod tests {
    use hexphase_fleet::{Scene, Settings};

    use super::*;

    fn notes() -> [Note; 6] {
        let settings = Settings { seed: u64::MAX, scene: Scene::Dense, ..Settings::default() };
        let terms = Terms { settings, ticks: 7, first: 0x0123_4567_89ab_cdef };
        let end = End { differs: true, seen: false, tick: 5, own: 6, other: 7 };
        let seen = End { differs: false, seen: true, ..end };
        [
            Note::Hello(terms),
            Note::Welcome,
            Note::Refuse(terms),
            Note::Busy,
            Note::End(end),
            Note::End(seen),
        ]
    }

    #[test]
    fn notes_are_read_as_written() {
        for note in notes() {
            let mut bytes = Vec::new();
            write_note(&note, &mut bytes);
            assert!(bytes.len() <= MAX_LEN);
            assert_eq!(read(&bytes), Some(Datagram::Note(note)));
        }
    }

    #[test]
    fn damaged_datagrams_are_ignored() {
        for note in notes() {
            let mut bytes = Vec::new();
            write_note(&note, &mut bytes);
            for len in 0..bytes.len() {
                assert_eq!(read(&bytes[..len]), None, "{note:?}, {len} bytes");
            }
            bytes.push(0);
            assert_eq!(read(&bytes), None, "{note:?} and a byte");
            bytes.pop();
            bytes[3] ^= 1;
            assert_eq!(read(&bytes), None, "{note:?} of another version");
        }
        assert_eq!(read(b"hxf1\x06"), None);
        assert_eq!(read(b"hxf1\x00abc"), Some(Datagram::Game(b"abc")));
    }

    #[test]
    fn inputs_are_commands() {
        assert_eq!(to_input(Command::NONE), Input::default());
        let command = Command { squad: 16, thrust: 3, turn: -96, fire: 1 };
        assert_eq!(to_command(to_input(command)), command);
    }
}
