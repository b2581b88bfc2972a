//! A world taken back from bytes: all of them are looked at before anything changes.

use alloc::vec::Vec;

use bounds_hexprism::Bounds;
use broadphase_core::{Aabb, Filter, InvalidBounds, Motion, Pair, Scalar};

use super::digest::digest;
use super::write::write_kind;
use super::{BOUNDS, EVENTS, FILTER, NAME, Plain, SnapshotError, VERSION, width};
use crate::filters::Filters;
use crate::slots::{Content, Member};
use crate::structure::{Body, Proxy};
use crate::world::volume;
use crate::{BroadPhase, Handle};

/// Everything that is in a snapshot, in order.
struct Image<S, const D: usize, U, B> {
    slots: Vec<(u32, Option<Content<U>>)>,
    filters: Filters,
    /// By slot; of free slots whatever.
    volumes: Vec<B>,
    remembered: Vec<Member<U>>,
    swept: Vec<(u32, Aabb<S, D>)>,
    pairs: Vec<Pair>,
}

impl<S, const D: usize, U, B> BroadPhase<S, D, U, B>
where
    S: Scalar + Plain,
    U: Plain + Send + Sync,
    B: Bounds<S, D> + Plain,
{
    /// Makes the world what it was when the snapshot was taken, in whatever world of this kind:
    /// another structure, backend and number of threads serve as well. What follows is then what
    /// followed, handles included.
    ///
    /// [`pairs`](Self::pairs) are those of the last step before the snapshot;
    /// [`began`](Self::began) and [`ended`](Self::ended) are empty until the next, which tells
    /// again what it told then. Without events `pairs` is empty until then too.
    ///
    /// What is the same stays as it is, so going back a few ticks costs little more than a walk.
    ///
    /// # Errors
    /// If the bytes are no snapshot of this kind of world (numbers, dimensions, user data, volumes,
    /// sides, events), or were damaged, or the memory is not to be had. Nothing has changed then.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        let image = self.read(bytes, None)?;
        self.become_like(image)
    }

    /// The same, of a snapshot without bounds: `bounds` says where each object is.
    ///
    /// # Errors
    /// As [`restore`](Self::restore), or if bounds are NaN, infinite or inverted. Nothing has
    /// changed then.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase<i32, 1, i32> = BroadPhase::new();
    /// let ship = world.insert(Aabb::point([3]), 3)?;
    /// let mut saved = Vec::new();
    /// world.snapshot_without_bounds(&mut saved);
    /// world.clear();
    /// world.restore_with(&saved, |_, &x| Aabb::point([x]))?;
    /// assert_eq!(world.get(ship).unwrap().bounds, Aabb::point([3]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn restore_with(
        &mut self,
        bytes: &[u8],
        mut bounds: impl FnMut(Handle, &U) -> B,
    ) -> Result<(), SnapshotError> {
        let image = self.read(bytes, Some(&mut bounds))?;
        self.become_like(image)
    }

    /// All of a snapshot, or what is wrong with it.
    fn read(
        &self,
        bytes: &[u8],
        given: Option<&mut dyn FnMut(Handle, &U) -> B>,
    ) -> Result<Image<S, D, U, B>, SnapshotError> {
        let body = check_kind::<S, D, U, B>(bytes, &self.options.sides, self.options.events)?;
        let has_bounds = body[NAME.len() + 5] & BOUNDS != 0;
        if has_bounds == given.is_some() {
            return Err(SnapshotError::Bounds);
        }
        let mut kind = Vec::new();
        write_kind::<S, D, U, B>(&self.options.sides, 0, &mut kind);
        read_image(&body[kind.len()..], given).ok_or(SnapshotError::Corrupt)?
    }

    fn become_like(&mut self, image: Image<S, D, U, B>) -> Result<(), SnapshotError> {
        let Image { slots: new, filters, volumes, remembered, swept, pairs } = image;
        // All memory first.
        let out_of_memory = |_| SnapshotError::OutOfMemory;
        let live = new.iter().filter(|(_, content)| content.is_some()).count();
        let missing = live.saturating_sub(self.len());
        self.try_reserve(missing).map_err(out_of_memory)?;

        let Self { structure, slots, .. } = self;
        let at = |slot: u32| new.get(slot as usize).and_then(|(_, content)| *content);
        for slot in 0..slots.capacity() as u32 {
            if slots.occupant(slot).is_some() && at(slot).is_none() {
                structure.remove(slot);
            }
        }
        let updated = structure.update(&mut |slot, proxy, bounds| {
            if let Some(content) = at(slot) {
                proxy.filter = content.filter;
                *bounds = volumes[slot as usize].aabb();
            }
        });
        updated.expect("all bounds were checked");
        for (slot, &(_, content)) in (0..).zip(&new) {
            let Some(Content { motion, filter, .. }) = content else { continue };
            match slots.motion(slot) {
                Some(now) if now == motion => {}
                Some(_) => {
                    structure.set_motion(slot, motion).expect("the object is there");
                }
                None => {
                    let bounds = volumes[slot as usize].aabb();
                    let body = Body { bounds, proxy: Proxy { filter }, motion };
                    structure.insert(slot, body).expect("there is room, and the slot was free");
                }
            }
        }
        slots.restore(new.iter().copied(), remembered.into_iter());
        if !volume::is_box::<S, D, B>() {
            self.volumes = volumes;
        }
        self.filters = filters;
        self.swept.restore(swept.into_iter());
        self.pairs = pairs;
        self.before.clear();
        self.began.clear();
        self.ended.clear();
        Ok(())
    }
}

/// The bytes without their check sum, if they are a snapshot of this kind of world.
fn check_kind<'a, S, const D: usize, U, B>(
    bytes: &'a [u8],
    sides: &[S; D],
    events: bool,
) -> Result<&'a [u8], SnapshotError>
where
    S: Scalar + Plain,
    U: Plain,
    B: Plain,
{
    let Some(rest) = bytes.strip_prefix(NAME) else { return Err(SnapshotError::NotASnapshot) };
    match u16::read(&mut &*rest) {
        Some(VERSION) => {}
        Some(version) => return Err(SnapshotError::Version(version)),
        None => return Err(SnapshotError::Corrupt),
    }
    let (body, sum) = bytes.split_last_chunk().ok_or(SnapshotError::Corrupt)?;
    if digest(body) != u64::from_le_bytes(*sum) {
        return Err(SnapshotError::Corrupt);
    }
    let content = body.get(NAME.len() + 5).copied().ok_or(SnapshotError::Corrupt)?;
    let mut kind = Vec::new();
    write_kind::<S, D, U, B>(sides, content, &mut kind);
    if body.starts_with(&kind) {
        return match content & EVENTS != 0 {
            with if with == events => Ok(body),
            _ => Err(SnapshotError::Kind { what: "events" }),
        };
    }
    let differs = (0..).zip(&kind).find(|&(place, byte)| body.get(place) != Some(byte));
    let what = match differs.map_or(0, |(place, _)| place - NAME.len()) {
        2 | 3 => "numbers",
        4 => "dimensions",
        6..10 => "user data",
        10..14 => "volumes",
        _ => "sides",
    };
    Err(SnapshotError::Kind { what })
}

/// What follows the kind; `None` if it makes no sense.
#[expect(clippy::type_complexity, reason = "damaged, or bounds that are wrong, or all of it")]
fn read_image<S, const D: usize, U, B>(
    mut bytes: &[u8],
    mut given: Option<&mut dyn FnMut(Handle, &U) -> B>,
) -> Option<Result<Image<S, D, U, B>, SnapshotError>>
where
    S: Scalar + Plain,
    U: Plain,
    B: Bounds<S, D> + Plain,
{
    let bytes = &mut bytes;
    let counts = <[u32; 5]>::read(bytes)?;
    let [capacity, live, kinds, remembered, swept] = counts.map(|count| count as usize);
    let pairs = usize::try_from(u64::read(bytes)?).ok()?;

    let wide = usize::from(u8::read(bytes)?);
    let generations = take(bytes, capacity.checked_mul(wide).filter(|_| wide <= 4)?)?;
    let states = take(bytes, capacity.div_ceil(4))?;
    let motion = |slot: usize| match states[slot / 4] >> (slot % 4 * 2) & 3 {
        0 => None,
        1 => Some(Motion::Dynamic),
        2 => Some(Motion::Static),
        _ => Some(Motion::Sleeping),
    };
    if (0..capacity).filter(|&slot| motion(slot).is_some()).count() != live {
        return None;
    }
    if (capacity..states.len() * 4).any(|slot| motion(slot).is_some()) {
        return None;
    }

    let mut filters = Filters::new();
    let named: Vec<Filter> = take(bytes, kinds.checked_mul(FILTER)?)?
        .chunks_exact(FILTER)
        .map(|mut bytes| read_filter(&mut bytes))
        .collect::<Option<_>>()?;
    let wide_numbers = width(kinds.saturating_sub(1) as u32);
    let mut numbers = take(bytes, live.checked_mul(wide_numbers)?)?;

    // Everything of fixed size is there before room is made for it.
    let mut boxes = take(bytes, if given.is_some() { 0 } else { live.checked_mul(B::SIZE)? })?;
    let mut users = take(bytes, live.checked_mul(U::SIZE)?)?;
    let mut slots = Vec::with_capacity(capacity);
    let mut volumes = Vec::with_capacity(capacity);
    // Of filters that are named one after the other most are the same.
    let mut last: Option<(u32, u32)> = None;
    for slot in 0..capacity {
        let generation = read_narrow(&generations[slot * wide..][..wide]);
        let handle = Handle::new(slot as u32, generation);
        let Some(motion) = motion(slot) else {
            slots.push((generation, None));
            volumes.extend(volumes.last().copied());
            continue;
        };
        let kind = read_narrow(take(&mut numbers, wide_numbers)?);
        let filter = match last {
            Some((same, number)) if same == kind => filters.take_again(number),
            _ => filters.take(*named.get(kind as usize)?),
        };
        last = Some((kind, filter));
        let user = U::read(&mut users)?;
        let bounds = match &mut given {
            Some(given) => {
                let bounds = given(handle, &user);
                if let Err(why) = check::<S, D, B>(&bounds) {
                    return Some(Err(SnapshotError::InvalidBounds { object: handle, why }));
                }
                bounds
            }
            None => B::read(&mut boxes)?,
        };
        check::<S, D, B>(&bounds).ok()?;
        // Free slots before the first object have some volume, too.
        volumes.resize(slot + 1, bounds);
        slots.push((generation, Some(Content { user, filter, motion })));
    }

    let mut image = Image {
        slots,
        filters,
        volumes,
        remembered: Vec::new(),
        swept: Vec::new(),
        pairs: Vec::new(),
    };
    let is_live = |slot: u32| motion(slot as usize).is_some();
    let mut before = None;
    for _ in 0..remembered {
        let (handle, user) = <(Handle, U)>::read(bytes)?;
        let filter = read_filter(bytes)?;
        if handle.index() as usize >= capacity || before.is_some_and(|last| last >= handle.index())
        {
            return None;
        }
        before = Some(handle.index());
        image.remembered.push(Member { handle, user, filter });
    }
    let mut before = None;
    for _ in 0..swept {
        let (slot, was) = <(u32, Aabb<S, D>)>::read(bytes)?;
        let in_order = before.is_none_or(|last| last < slot);
        if slot as usize >= capacity || !is_live(slot) || !in_order || was.checked().is_err() {
            return None;
        }
        before = Some(slot);
        image.swept.push((slot, was));
    }
    let was_there = |slot: u32| {
        let remembered = &image.remembered;
        (slot as usize) < capacity
            && (is_live(slot)
                || remembered.binary_search_by_key(&slot, |member| member.handle.index()).is_ok())
    };
    // Each takes two bytes at least.
    image.pairs.reserve(pairs.min(bytes.len() / 2));
    let mut before = [0u32; 2];
    for _ in 0..pairs {
        let (step, next) = (read_short(bytes)?, read_short(bytes)?);
        let a = before[0].checked_add(step)?;
        let least = if step == 0 { before[1].max(a) } else { a };
        let b = least.checked_add(next).filter(|&b| b > least)?;
        if !was_there(a) || !was_there(b) {
            return None;
        }
        before = [a, b];
        image.pairs.push(before);
    }
    bytes.is_empty().then_some(Ok(image))
}

fn check<S: Scalar, const D: usize, B: Bounds<S, D>>(bounds: &B) -> Result<(), InvalidBounds> {
    bounds.check()?;
    bounds.aabb().checked().map(drop)
}

/// So many bytes from the front.
fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (front, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(front)
}

fn read_narrow(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte))
}

fn read_filter(bytes: &mut &[u8]) -> Option<Filter> {
    let (layers, mask, group, owner) = Plain::read(bytes)?;
    Some(Filter { layers, mask, group, owner })
}

/// The opposite of `write_short`; nothing longer than needed is accepted.
fn read_short(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0u32;
    for shift in (0..32).step_by(7) {
        let byte = u8::read(bytes)?;
        let bits = u32::from(byte & 127);
        number |= bits.checked_shl(shift).filter(|shifted| shifted >> shift == bits)?;
        if byte < 128 {
            return (byte > 0 || shift == 0).then_some(number);
        }
    }
    None
}
