//! Benchmarks pairs of two worlds and pairs within a distance, with parry2d and
//! `packed_spatial_index` in the same run. All objects move before each search.
//!
//! The objects of a scene are in one world, or divided between two worlds. `world` writes pairs in
//! canonical order; `world, any order` and the other libraries call a closure that appends each
//! pair to a list. The trees of parry are refitted, and optimized every few ticks; the trees of
//! `packed_spatial_index` are rebuilt.

use core::ops::ControlFlow;

use broadphase_core::Pair;
use hexphase::Handle;
use peers::world::{
    Boxes, Facade, Packed2, Parry2, World, answer_of, are_within, pairs_within, tree,
};
use peers::{Comparison, Scene, Subject, Suite};
use rstar::AABB;

/// Maximum distance of pairs; objects of `discs` have a diameter of 14.
const DISTANCE: f32 = 4.0;

/// Measures all searches of a scene.
pub(crate) fn measure(suite: &mut Suite, name: &str, boxes: &Boxes<2>) {
    let halves = [0, 1].map(|half| boxes.select(|index| index % 2 == half));
    let scene = format!("{name}, two worlds, tick");
    let later = halves.each_ref().map(|half| half.after(1));
    let expected = answer_of(&pairs_of_two(&later));
    two_worlds(&mut suite.compare(Scene::objects(&scene, boxes.bounds.len()), expected), &halves);
    let scene = format!("{name}, within, tick");
    let expected = answer_of(&pairs_within(&boxes.after(1), DISTANCE));
    within(&mut suite.compare(Scene::objects(&scene, boxes.bounds.len()), expected), boxes);
}

/// Returns the pairs that rstar finds. The keys of the second set are added to the number of
/// objects of the first set.
fn pairs_of_two([ours, theirs]: &[Boxes<2>; 2]) -> Vec<Pair> {
    let (tree, first) = (tree(&theirs.bounds), ours.bounds.len() as u32);
    let found = ours.objects().flat_map(|(key, at)| {
        let others = tree.locate_in_envelope_intersecting(AABB::from_corners(at.min, at.max));
        others.map(move |leaf| [key, leaf.data + first])
    });
    found.collect()
}

fn two_worlds(compared: &mut Comparison<'_>, sets: &[Boxes<2>; 2]) {
    let first = sets[0].bounds.len() as u32;
    let shifted =
        |pairs: &[Pair]| answer_of(&pairs.iter().map(|&[a, b]| [a, b + first]).collect::<Vec<_>>());
    let worlds = || (sets.each_ref().map(|boxes| Facade::new(boxes, false)), Vec::new());
    let answer = |found: &[[Handle; 2]]| shifted(&indices(found));
    compared.measure(
        Subject::detected("world"),
        worlds,
        |([a, b], found)| {
            a.advance();
            b.advance();
            a.world.pairs_with(&mut b.world).write_to(found);
        },
        |(_, found)| answer(found),
    );
    compared.measure(
        Subject::detected("world, any order"),
        worlds,
        |([a, b], found)| {
            a.advance();
            b.advance();
            found.clear();
            a.world.pairs_with(&mut b.world).visit(|pair, _, _| found.push(pair));
        },
        |(_, found)| answer(found),
    );
    compared.peer(
        "parry2d",
        || (sets.each_ref().map(Parry2::new), Vec::new()),
        |([a, b], out)| {
            a.advance();
            b.advance();
            a.collect_with(b, out);
        },
        |(_, out)| shifted(out),
    );
    compared.peer(
        "packed_spatial_index",
        || (sets.clone(), Vec::new()),
        |(sets, out)| {
            sets.iter_mut().for_each(Boxes::advance);
            let [a, b] = sets.each_ref().map(|boxes| Packed2::tree(boxes, false));
            out.clear();
            let _ = a.join_each(&b, append(out));
        },
        |(_, out)| shifted(out),
    );
}

fn within(compared: &mut Comparison<'_>, boxes: &Boxes<2>) {
    let world = || (Facade::new(boxes, false), Vec::new());
    compared.measure(
        Subject::detected("world"),
        world,
        |(facade, found)| {
            facade.advance();
            facade.world.pairs_within(DISTANCE).write_to(found);
        },
        |(_, found)| answer_of(&indices(found)),
    );
    compared.measure(
        Subject::detected("world, any order"),
        world,
        |(facade, found)| {
            facade.advance();
            found.clear();
            facade.world.pairs_within(DISTANCE).visit(|pair, _, _| found.push(pair));
        },
        |(_, found)| answer_of(&indices(found)),
    );
    // Leaves are enlarged by half the distance, and each pair of overlapping leaves is tested
    // exactly.
    let mut enlarged = boxes.clone();
    enlarged.bounds.iter_mut().for_each(|bounds| *bounds = bounds.enlarged(DISTANCE * 0.501));
    compared.peer(
        "parry2d",
        || (Parry2::new(&enlarged), boxes.clone(), Vec::new()),
        |(parry, boxes, out)| {
            parry.advance();
            boxes.advance();
            parry.collect(out);
            let at = |key: u32| &boxes.bounds[key as usize];
            out.retain(|&[a, b]| are_within(at(a), at(b), DISTANCE));
        },
        |(_, _, out)| answer_of(out),
    );
    compared.peer(
        "packed_spatial_index",
        || (boxes.clone(), Vec::new()),
        |(boxes, out)| {
            boxes.advance();
            out.clear();
            let tree = Packed2::tree(boxes, false);
            let _ = tree.pairs_within_each(DISTANCE.into(), append(out));
        },
        |(_, out)| answer_of(out),
    );
}

/// Returns a closure that appends each pair to a list.
fn append(out: &mut Vec<Pair>) -> impl FnMut(usize, usize) -> ControlFlow<()> {
    |a, b| {
        out.push([a as u32, b as u32]);
        ControlFlow::Continue(())
    }
}

fn indices(found: &[[Handle; 2]]) -> Vec<Pair> {
    found.iter().map(|pair| pair.map(Handle::index)).collect()
}
