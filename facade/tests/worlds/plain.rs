//! `Plain` types: every value has one encoding of fixed size, and other bytes are rejected.

use core::fmt::Debug;

use hexphase::hex::{Angle, Corner, Diagonal, Direction, Edge, Orientation, Point, Pose, Rhombus};
use hexphase::{
    Aabb, Ball, BroadPhase, Filter, Handle, HexPrism, Hexagon, Motion, Options, Plain,
    SnapshotError, plain,
};
use proptest::prelude::*;

const LETTER: u8 = b'a';

plain! {
    /// A struct with every kind of field.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub(crate) struct Ship {
        pub velocity: [f32; 2],
        pub(crate) order: Order,
        targets: [Option<Handle>; 2],
    }

    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Mixed(pub u8, (bool, char), [f32; 2], Marker,);

    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Marker;

    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    #[repr(u8)]
    enum Order {
        #[default]
        Idle,
        Follow(Handle),
        /// An explicit discriminant: the next variant, `Carry`, gets 8.
        Fire { at: [f32; 2], shots: u8 } = 7,
        Carry(u8, bool, Mixed),
        Nothing {},
        None() = 200,
    }

    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(u8)]
    enum Letter { A = LETTER, B, Z = b'z' }

    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Signed { Low = -300, Middle = 0, High = 1 << 14 }

    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Single { Only }

    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Never {}
}

/// A type that has the name and size of [`Letter`], but other discriminants.
mod other {
    hexphase::plain! {
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub(crate) enum Letter { A = 97, B, Y = 122 }
    }
}

fn encoded<T: Plain>(value: T) -> Vec<u8> {
    let mut bytes = Vec::new();
    value.write(&mut bytes);
    bytes
}

/// Asserts that bytes are rejected, or are the only encoding of a value, and no fewer bytes are.
#[track_caller]
fn one_encoding<T: Plain + Debug>(bytes: &[u8]) {
    for len in 0..T::SIZE {
        assert!(T::read(&mut &bytes[..len]).is_none(), "{len} bytes suffice");
    }
    let mut rest = bytes;
    if let Some(value) = T::read(&mut rest) {
        assert_eq!(rest, &bytes[T::SIZE..], "{value:?}: it reads SIZE bytes");
        let mut written = vec![0xaa];
        value.write(&mut written);
        assert_eq!(written[1..], bytes[..T::SIZE], "{value:?}: it appends its bytes");
    }
}

#[track_caller]
fn round_trip<T: Plain + Debug>(value: T) {
    let bytes = [encoded(value), vec![0x55]].concat();
    let again = T::read(&mut &bytes[..]).expect("its own bytes");
    assert_eq!(format!("{again:?}"), format!("{value:?}"));
    one_encoding::<T>(&bytes);
}

/// Asserts that lists are read back, one after the other, and that each truncation is rejected.
#[track_caller]
fn lists_round_trip<T: Plain + Debug>(lists: [&[T]; 2]) {
    let mut bytes = Vec::new();
    for list in lists {
        let begin = bytes.len();
        T::write_list(list, &mut bytes);
        assert_eq!(bytes.len() - begin, 4 + list.len() * T::SIZE);
        assert_eq!(bytes[begin..begin + 4], (list.len() as u32).to_le_bytes());
        for end in begin..bytes.len() {
            assert!(T::read_list(&mut &bytes[begin..end]).is_none(), "{list:?} of {end} bytes");
        }
    }
    let mut rest = &bytes[..];
    for list in lists {
        let again = T::read_list(&mut rest).expect("its own bytes");
        assert_eq!(format!("{again:?}"), format!("{list:?}"));
    }
    assert_eq!(rest, [0; 0]);
}

#[test]
fn values_of_all_types_are_read_back() {
    round_trip((u8::MAX, u16::MAX, u32::MAX, u64::MAX, u128::MAX));
    round_trip((i8::MIN, i16::MIN, i32::MIN, i64::MIN, i128::MIN));
    round_trip(([f32::NAN, -0.0], [f64::NAN, f64::INFINITY], ()));
    round_trip((true, ['\0', char::MAX], [Some((-1i8, false)), None]));
    for motion in [Motion::Dynamic, Motion::Static, Motion::Sleeping] {
        round_trip((motion, [Filter::ALL, Filter::NONE.group(-3).owner(7)]));
    }
    let cell = hexphase::hex::hex(i32::MIN, i32::MAX);
    for (way, diagonal) in Direction::ALL.into_iter().zip(Diagonal::ALL) {
        round_trip((way, diagonal, cell, cell.edge(way), cell.corner(diagonal)));
    }
    for handle in [Handle::DANGLING, Handle::from_bits(0), Handle::from_bits(u64::MAX << 32)] {
        let mixed = Mixed(5, (true, char::MAX), [f32::MAX, f32::MIN], Marker);
        let (fire, carry) =
            (Order::Fire { at: [1.0, -0.0], shots: 9 }, Order::Carry(3, true, mixed));
        for order in
            [Order::Idle, Order::Follow(handle), fire, carry, Order::Nothing {}, Order::None()]
        {
            round_trip(Ship { velocity: [0.5, -2.0], order, targets: [Some(handle), None] });
        }
    }
    round_trip([Letter::A, Letter::B, Letter::Z]);
    round_trip(([Signed::Low, Signed::Middle, Signed::High], Single::Only, Marker));
}

proptest! {
    #[test]
    fn lists_are_read_back_and_truncations_rejected(
        numbers: ([Vec<u16>; 2], [Vec<(bool, [i64; 2])>; 2], [Vec<Option<(u8, char)>>; 2]),
        markers in proptest::array::uniform2(0..5usize),
    ) {
        lists_round_trip(numbers.0.each_ref().map(Vec::as_slice));
        lists_round_trip(numbers.1.each_ref().map(Vec::as_slice));
        lists_round_trip(numbers.2.each_ref().map(Vec::as_slice));
        lists_round_trip(markers.map(|len| &[Marker; 4][..len.min(4)]));
    }

    /// Small bytes are frequent, so that discriminants are often valid.
    #[test]
    fn every_value_has_one_encoding(
        bytes in proptest::collection::vec(prop_oneof![0..3u8, 6..9u8, any::<u8>()], 80),
    ) {
        one_encoding::<Ship>(&bytes);
        one_encoding::<[Order; 2]>(&bytes);
        one_encoding::<(Mixed, Letter, Signed, Single, Marker)>(&bytes);
        one_encoding::<(Option<char>, bool, Motion, Filter)>(&bytes);
        one_encoding::<(Never, u8)>(&bytes);
        one_encoding::<(Edge, Corner, Direction, Diagonal, Orientation)>(&bytes);
        one_encoding::<(u8, u16, u32, u64, u128)>(&bytes);
        one_encoding::<(i8, i16, i32, i64, i128)>(&bytes);
        one_encoding::<([f32; 3], [f64; 2], [[u8; 3]; 2])>(&bytes);
        one_encoding::<(Option<Handle>, Handle, [Option<(i8, bool)>; 2], ())>(&bytes);
        one_encoding::<(Aabb<i32, 3>, Ball<i32, 3>)>(&bytes);
        one_encoding::<(Hexagon<i32>, HexPrism<i32>)>(&bytes);
        one_encoding::<(Point, Point<f32>, Pose, Angle, Rhombus)>(&bytes);
    }
}

#[test]
fn fields_are_stored_in_order_behind_the_discriminant() {
    assert_eq!(encoded(Letter::A), [97]);
    assert_eq!(encoded(Letter::B), [98]);
    assert_eq!(encoded(Letter::Z), [122]);
    assert_eq!(encoded(Signed::Low), (-300i16).to_le_bytes());
    assert_eq!(encoded(Signed::High), (1i16 << 14).to_le_bytes());
    assert_eq!((Marker::SIZE, Single::SIZE, Never::SIZE), (0, 1, 1));
    let mixed = Mixed(5, (true, 'c'), [0.0, -0.0], Marker);
    let fields = [5, 1, b'c', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80];
    assert_eq!(encoded(mixed), fields);
    // `Carry` is the largest variant.
    let carried = encoded(Order::Carry(3, false, mixed));
    assert_eq!(carried, [&[8, 3, 0], &fields[..]].concat());
    let mut fire = [7, 0, 0, 0, 0, 0, 0, 0x80, 0x3f, 9].to_vec();
    fire.resize(Order::SIZE, 0);
    assert_eq!(encoded(Order::Fire { at: [0.0, 1.0], shots: 9 }), fire);
    assert_eq!(encoded(Order::Nothing {})[0], 9);
}

#[test]
fn unknown_discriminants_and_padding_are_rejected() {
    let mut bytes = [0; Order::SIZE];
    for discriminant in 0..=255u8 {
        bytes[0] = discriminant;
        let known = [0, 1, 7, 8, 9, 200].contains(&discriminant);
        // The third field of `Carry` contains a `char`; the number 0 is a valid `char`.
        assert_eq!(Order::read(&mut &bytes[..]).is_some(), known, "{discriminant}");
        let letter = Letter::read(&mut &[discriminant][..]);
        assert_eq!(letter.is_some(), [97, 98, 122].contains(&discriminant));
        assert_eq!(Single::read(&mut &[discriminant][..]).is_some(), discriminant == 0);
        assert_eq!(Direction::read(&mut &[discriminant][..]).is_some(), discriminant < 6);
        assert_eq!(Diagonal::read(&mut &[discriminant][..]).is_some(), discriminant < 6);
        assert_eq!(Orientation::read(&mut &[discriminant][..]).is_some(), discriminant < 2);
        assert_eq!(
            Motion::read(&mut &[discriminant][..]).is_some(),
            (1..4).contains(&discriminant)
        );
        assert!(Never::read(&mut &[discriminant][..]).is_none());
    }
    for number in i16::MIN..=i16::MAX {
        let known = [-300, 0, 1 << 14].contains(&number);
        assert_eq!(Signed::read(&mut &number.to_le_bytes()[..]).is_some(), known, "{number}");
    }
    for place in 1..Order::SIZE {
        bytes = [0; Order::SIZE];
        bytes[place] = 1;
        assert_eq!(Order::read(&mut &bytes[..]), None, "padding of `Idle`, byte {place}");
    }
    let edge = encoded((hexphase::hex::hex(0, 0), Direction::W));
    assert_eq!(Edge::read(&mut &edge[..]), None, "the edge is one of the cell to the west");
}

#[test]
fn lists_of_invalid_values_or_lengths_are_rejected() {
    assert_eq!(bool::read_list(&mut &[2, 0, 0, 0, 1, 2][..]), None);
    for len in [3, u32::MAX] {
        let bytes = [&len.to_le_bytes()[..], &[0; 40]].concat();
        assert_eq!(<[u64; 2]>::read_list(&mut &bytes[..]), None, "{len} values do not fit");
    }
}

#[test]
fn type_numbers_depend_on_names_discriminants_and_fields() {
    assert_ne!(Letter::KIND, other::Letter::KIND);
    let kinds = [Ship::KIND, Mixed::KIND, Marker::KIND, Order::KIND, Single::KIND, Never::KIND];
    for (index, kind) in kinds.iter().enumerate() {
        assert!(!kinds[..index].contains(kind), "type {index}");
    }
}

/// Bytes with the size and type number of [`Order`]; they need not be a valid order.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Unchecked([u8; Order::SIZE]);

impl Plain for Unchecked {
    const SIZE: usize = Order::SIZE;
    const KIND: u32 = Order::KIND;
    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
    }
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        Plain::read(bytes).map(Self)
    }
}

#[test]
fn worlds_restore_declared_user_data() {
    let mut world: BroadPhase<f32, 2, Order> = BroadPhase::new();
    let first = world.insert(Aabb::point([0.0, 0.0]), Order::Idle).unwrap();
    let second = world.insert(Aabb::point([0.0, 0.0]), Order::Follow(first)).unwrap();
    let mut saved = Vec::new();
    world.snapshot_into(&mut saved);
    *world.user_mut(second).unwrap() = Order::Fire { at: [1.0, 0.0], shots: 1 };
    world.restore(&saved).unwrap();
    assert_eq!([world[first], world[second]], [Order::Idle, Order::Follow(first)]);

    // An unknown discriminant is an error, and the world is unchanged.
    let mut other: BroadPhase<f32, 2, Unchecked> = BroadPhase::new();
    for discriminant in [200, 2] {
        other.insert(Aabb::point([1.0, 1.0]), Unchecked([0; Order::SIZE])).unwrap();
        let last = other.handles().last().unwrap();
        let mut bytes = [0; Order::SIZE];
        bytes[0] = discriminant;
        *other.user_mut(last).unwrap() = Unchecked(bytes);
        other.snapshot_into(&mut saved);
        let hash = world.state_hash();
        let read = BroadPhase::<f32, 2, Order>::from_snapshot(&saved, Options::new());
        if discriminant == 200 {
            assert_eq!(read.unwrap()[last], Order::None());
        } else {
            assert_eq!(read.err(), Some(SnapshotError::Corrupt));
            assert_eq!(world.restore(&saved), Err(SnapshotError::Corrupt));
            assert_eq!(world.state_hash(), hash);
        }
    }
    // A type of equal size and other discriminants is rejected.
    let mut letters: BroadPhase<f32, 2, Letter> = BroadPhase::new();
    letters.insert(Aabb::point([1.0, 1.0]), Letter::Z).unwrap();
    letters.snapshot_into(&mut saved);
    let read = BroadPhase::<f32, 2, other::Letter>::from_snapshot(&saved, Options::new());
    assert!(matches!(read.err(), Some(SnapshotError::Kind { what: "user data", .. })));
}
