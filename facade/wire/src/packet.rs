//! Datagrams between two processes.
//!
//! ```text
//! 0      4
//! +------+-------------------------------+
//! | hxf2 | a note, or 0 and a GGRS packet |
//! +------+-------------------------------+
//! ```
//!
//! Notes have the encoding of [`Plain`]: a kind above 0, and numbers. A datagram that begins
//! differently, or whose length does not fit its kind, is ignored.

use hexphase::{Plain as _, plain};
use hexphase_fleet::Command;

use crate::terms::Terms;

/// The first bytes of each datagram. The last byte is the version of the format.
const BEGIN: [u8; 4] = *b"hxf2";
/// The kind of a packet of GGRS.
const GAME: u8 = 0;
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

plain! {
    /// A message outside of GGRS: before the game and at its end.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(u8)]
    pub(crate) enum Note {
        /// The connecting side requests a game with these terms.
        Hello(Terms) = 1,
        /// The listening side agrees to the terms.
        Welcome,
        /// The listening side refuses, with its own terms. The connecting side confirms with its
        /// terms.
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
}

/// Writes a packet of GGRS as a datagram.
pub(crate) fn write_game(message: &ggrs::Message, out: &mut Vec<u8>) -> Result<(), bincode::Error> {
    out.clear();
    out.extend(BEGIN);
    out.push(GAME);
    bincode::serialize_into(out, message)
}

/// Writes a note as a datagram.
pub(crate) fn write_note(note: &Note, out: &mut Vec<u8>) {
    out.clear();
    out.extend(BEGIN);
    note.write(out);
}

/// Reads a datagram; `None` if it is not of this game.
pub(crate) fn read(bytes: &[u8]) -> Option<Datagram<'_>> {
    let mut body = bytes.strip_prefix(&BEGIN)?;
    if let [GAME, packet @ ..] = body {
        return Some(Datagram::Game(packet));
    }
    let note = Note::read(&mut body)?;
    body.is_empty().then_some(Datagram::Note(note))
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
    use hexphase_fleet::Settings;

    use super::*;

    #[test]
    fn notes_are_read_as_written_and_damaged_ones_are_ignored() {
        let terms = Terms { settings: Settings::default(), ticks: 7, first: u64::MAX - 1 };
        let end = End { differs: true, seen: false, tick: 5, own: 6, other: 7 };
        for note in
            [Note::Hello(terms), Note::Welcome, Note::Refuse(terms), Note::Busy, Note::End(end)]
        {
            let mut bytes = Vec::new();
            write_note(&note, &mut bytes);
            assert!(bytes.len() <= MAX_LEN);
            assert_eq!(read(&bytes), Some(Datagram::Note(note)));
            for len in 0..bytes.len() {
                assert_eq!(read(&bytes[..len]), None, "{note:?}, {len} bytes");
            }
            bytes.push(0);
            assert_eq!(read(&bytes), None, "{note:?} and a byte");
            bytes.pop();
            for (at, other) in [(3, b'1'), (4, 6)] {
                let mut damaged = bytes.clone();
                damaged[at] = other;
                assert_eq!(read(&damaged), None, "{note:?} with byte {at} changed");
            }
        }
        assert_eq!(read(b"hxf2\x00abc"), Some(Datagram::Game(b"abc")));
    }

    #[test]
    fn inputs_are_commands() {
        assert_eq!(to_input(Command::NONE), Input::default());
        let command = Command { squad: 16, thrust: 3, turn: -96, fire: 1 };
        assert_eq!(to_command(to_input(command)), command);
    }
}
