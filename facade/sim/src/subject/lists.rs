//! Lists of pairs and events.

use hexphase::{Handle, Overlap, Overlaps};

/// Number of pairs up to which all ways to read a list are compared.
const FEW: usize = 2000;

/// Returns a list of pairs, after comparing all ways to read it: ordered by user data, visited,
/// between layers, of one object, and from any index on.
pub(super) fn read(list: Overlaps<'_, u32>) -> Vec<Overlap<u32>> {
    let all: Vec<Overlap<u32>> = list.clone().collect();
    let place = |pair: &Overlap<u32>, which: usize| (pair.users[which], pair.handles[which]);
    let ordered = |pair: &Overlap<u32>| match place(pair, 1) < place(pair, 0) {
        true => swapped(pair),
        false => *pair,
    };
    let (mut expected, mut by_key): (Vec<_>, Vec<_>) =
        (all.iter().map(ordered).collect(), Vec::new());
    expected.sort_by_key(|pair| (place(pair, 0), place(pair, 1)));
    list.clone().by_key(|&user| user.into(), &mut by_key);
    assert!(by_key == expected, "pairs by key");
    if all.len() > FEW {
        return all;
    }
    let mut visited = Vec::new();
    list.clone().visit(|handles, users| visited.push((handles, users.map(|&user| user))));
    assert!(visited.into_iter().eq(all.iter().map(|pair| (pair.handles, pair.users))), "visits");
    for layers in [[1, 2], [2, 1], [3, 4], [6, 6], [5, 7], [0, 1]] {
        assert!(list.clone().between(layers[0], layers[1]).eq(between(&all, layers)), "between");
    }
    for object in all.iter().step_by(all.len() / 4 + 1).flat_map(|pair| pair.handles) {
        assert!(list.clone().of(object).eq(of_object(&all, object)), "pairs of {object}");
    }
    for skipped in [0, all.len() / 3, all.len().saturating_sub(1), all.len()] {
        let mut rest = list.clone();
        assert_eq!(rest.nth(skipped), all.get(skipped).copied(), "pair {skipped}");
        assert!(rest.eq(all.iter().skip(skipped + 1).copied()), "pairs after {skipped}");
    }
    all
}

fn swapped(pair: &Overlap<u32>) -> Overlap<u32> {
    let mut pair = *pair;
    pair.handles.reverse();
    pair.users.reverse();
    pair.filters.reverse();
    pair
}

/// Returns each pair with an object in a layer of `layers[0]` and another in one of `layers[1]`, in
/// this order of objects.
fn between(all: &[Overlap<u32>], layers: [u64; 2]) -> Vec<Overlap<u32>> {
    let is_in = |pair: &Overlap<u32>| {
        pair.filters[0].layers & layers[0] != 0 && pair.filters[1].layers & layers[1] != 0
    };
    all.iter().filter_map(|pair| [*pair, swapped(pair)].into_iter().find(is_in)).collect()
}

/// Returns the pairs of an object, which is first in each, ascending by the other object.
fn of_object(all: &[Overlap<u32>], object: Handle) -> Vec<Overlap<u32>> {
    let both = all.iter().flat_map(|pair| [*pair, swapped(pair)]);
    let mut found: Vec<_> = both.filter(|pair| pair.handles[0] == object).collect();
    found.sort_by_key(|pair| pair.handles[1]);
    found
}
