//! Queries, alone and in batches, and searches for pairs.

use hexphase::{Aabb, Algorithm, Handle};

use super::{Simulation, Wrong};
use crate::config::Config;
use crate::op::Op;
use crate::oracle::Object;
use crate::random::Random;
use crate::shape::{Found, New, PairSearch, PathKind, Question, Request, Shape};

/// From this number of objects on, slow searches are compared only between the two worlds.
const MANY: usize = 600;

impl Simulation<'_> {
    /// Returns a point in the inhabited area; some of its coordinates may be ends of an object.
    fn point(&self, random: &mut Random) -> [f64; 3] {
        let mut point = self.maker.point(random);
        let id = random.below(self.config.objects.into()) as u32;
        if let Some(object) = self.oracle.get(id) {
            for (axis, x) in point.iter_mut().enumerate() {
                let ends = [object.bounds.min[axis], object.bounds.max[axis]];
                *x = if random.chance(60) { random.pick(&ends) } else { *x };
            }
        }
        point
    }

    fn length(&self, random: &mut Random) -> f64 {
        self.maker.space.round(random.pick(&[0.0, 0.5, 1.0, 2.0, 5.0, 20.0]) * self.config.unit)
    }

    /// Returns a random movement. In a world that wraps it is at most half a side long on each
    /// axis.
    fn offset(&self, random: &mut Random) -> [f64; 3] {
        let Config { unit, fine, sides, .. } = self.config;
        let round = |x: f64| self.maker.space.round(x);
        self.maker.axes(|axis| {
            let units = random.pick(&[0.0, 1.0, -1.0, 3.0, -7.0, 40.0]);
            let fine = if *fine { random.unit() } else { 1.0 };
            let by = round(units * fine * unit);
            let side = sides[axis];
            let is_long = side > 0.0 && by.abs() > 0.5 * side;
            if is_long { round((0.5 - 0.1 * random.unit()) * side) } else { by }
        })
    }

    /// Returns a random shape; one in 30 is invalid.
    fn shape(&self, random: &mut Random) -> Shape {
        let bounds = match random.below(30) {
            0 => self.maker.invalid(random),
            1..=10 => self.maker.place(random),
            11..=20 => Aabb::point(self.point(random)),
            _ => {
                let (a, b) = (self.point(random), self.point(random));
                let min = core::array::from_fn(|axis| f64::min(a[axis], b[axis]));
                Aabb { min, max: core::array::from_fn(|axis| f64::max(a[axis], b[axis])) }
            }
        };
        let ignores_contacts = random.chance(25);
        let until =
            random.pick(&[0.25, 1.0, 1.0, 2.0, f64::INFINITY, 1.0, 0.5, f64::INFINITY, 0.0, -1.0]);
        let until = if self.config.wraps() && until > 2.0 { 0.5 } else { until };
        match random.below(9) {
            0..=1 => Shape::Region { bounds, radius: 0.0 },
            2 => Shape::Region { bounds, radius: self.length(random) },
            number @ 3..=5 => {
                let kind = match number {
                    3 if !self.config.wraps() => PathKind::Segment,
                    3 | 4 => PathKind::Ray,
                    _ => PathKind::Sweep,
                };
                let is_sweep = kind == PathKind::Sweep;
                let start = if is_sweep { bounds } else { Aabb::point(self.point(random)) };
                let (to, until) = match kind {
                    PathKind::Segment => (self.point(random), 1.0),
                    _ => (self.offset(random), until),
                };
                Shape::Path { kind, start, to, until, ignores_contacts }
            }
            _ => {
                let within = random.chance(30).then(|| self.length(random));
                // The exact distance of an object, or any distance.
                let id = random.below(self.config.objects.into()) as u32;
                let object = self.oracle.get(id).filter(|_| random.chance(20));
                let square = object.and_then(|one| self.oracle.distance_squared(bounds, one));
                let within_squared = square.or_else(|| {
                    let length = self.length(random);
                    let any = self.maker.space.round_fraction(length * length);
                    random.chance(10).then_some(any)
                });
                Shape::Target { bounds, within, within_squared }
            }
        }
    }

    pub(super) fn question(&self, random: &mut Random) -> Question {
        use Request::{First, List, Reused, Stop, Visit};

        let shape = self.shape(random);
        let except = random.chance(20).then(|| random.below(self.config.objects.into()) as u32);
        let request = random.pick(&[List, List, First, Visit, Reused, Stop]);
        let except = except.and_then(|id| Some(self.oracle.get(id)?.handle));
        let except = except.or_else(|| self.gone.last().copied().filter(|_| random.chance(10)));
        Question {
            shape,
            mask: if random.chance(70) { !0 } else { random.below(16) },
            except,
            parity: random.chance(20).then(|| random.below(2) as u32),
            take: random.pick(&[usize::MAX, usize::MAX, usize::MAX, 1, 2, 5, 0]),
            with_ties: shape.is_target() && random.chance(30),
            request,
        }
    }

    pub(super) fn query(&mut self, op: &Op, count: u64) -> Result<(), Wrong> {
        for number in 0..count as u32 {
            let question = self.question(&mut op.random(number));
            let answer = self.oracle.answer(&question);
            let expected = requested(&question, &answer);
            self.count(&question, answer.len());
            let is_visit = question.request == Request::Visit && question.shape.is_region();
            let subject_of = format!("result of {question:?}");
            let found = self.both(|subject| subject.query(&question));
            for (which, mut found) in found.into_iter().enumerate() {
                if is_visit {
                    found.sort_unstable_by_key(|found| found.0);
                }
                if is_visit && question.take != usize::MAX {
                    // With a limit, a visit may see any of the matching objects, so only their
                    // number is compared.
                    self.compare(which, &subject_of, &[found.len()], &[expected.len()])?;
                } else {
                    self.compare(which, &subject_of, &found, &expected)?;
                }
            }
            self.totals.operations += 1;
        }
        Ok(())
    }

    pub(super) fn query_many(&mut self, op: &Op, count: u64) -> Result<(), Wrong> {
        let mut questions: Vec<Question> = Vec::new();
        let options = self.question(&mut op.random(u32::MAX));
        for number in 0..count as u32 {
            let shape = self.question(&mut op.random(number)).shape;
            questions.push(Question { shape, with_ties: false, request: Request::List, ..options });
        }
        // The order in which `query_many` returns results: regions, paths, targets.
        questions.sort_by_key(|one| (one.shape.is_target(), !one.shape.is_region()));
        let expected: Vec<Found> = questions.iter().map(|one| self.oracle.answer(one)).collect();
        let inside = questions.iter().zip(&expected).filter(|(one, _)| one.shape.is_region());
        self.situations.add("found in many regions", inside.map(|(_, found)| found.len()).sum());
        let found = self.both(|subject| subject.query_many(&questions));
        for (which, found) in found.into_iter().enumerate() {
            let wrong = (0..questions.len()).find(|&one| found.get(one) != expected.get(one));
            let wrong = wrong.map_or(String::new(), |one| format!("{:?}", questions[one]));
            self.compare(which, &format!("results of a batch {wrong}"), &found, &expected)?;
        }
        self.totals.operations += count;
        Ok(())
    }

    /// Returns a distance for searches of pairs; a short one if there are many objects.
    fn distance(&self, random: &mut Random) -> f64 {
        let length = self.length(random);
        match random.below(12) {
            0 if self.oracle.len() < MANY => self.maker.space.largest(),
            1 => -length,
            _ if self.oracle.len() < MANY => length,
            _ => length.min(2.0 * self.config.unit),
        }
    }

    pub(super) fn neighbors(&mut self, op: &Op) -> Result<(), Wrong> {
        let distance = self.distance(&mut op.random(0));
        let [first, second] = self.both(|subject| subject.neighbors(distance));
        self.totals.operations += 1;
        self.compare(1, "neighbors", &second, &first)?;
        if self.oracle.len() >= MANY {
            return Ok(());
        }
        let expected = self.oracle.neighbors(distance);
        self.compare(0, &format!("neighbors within {distance:?}"), &first, &expected)
    }

    pub(super) fn nearest_to_each(&mut self, op: &Op) -> Result<(), Wrong> {
        let random = &mut op.random(0);
        let count = random.pick(&[0, 1, 2, 3, 8]);
        let [first, second] = self.both(|subject| subject.nearest_to_each(count));
        self.totals.operations += 1;
        self.compare(1, "nearest to each", &second, &first)?;
        let every = (self.oracle.len() / 40).max(1);
        let first: Vec<_> = first.into_iter().step_by(every).collect();
        let some: Vec<Object> = self.oracle.objects().step_by(every).copied().collect();
        let nearest = |object: &Object| (object.handle, self.oracle.nearest_to(object, count));
        let expected: Vec<_> = some.iter().map(nearest).collect();
        self.compare(0, "nearest to each", &first, &expected)
    }

    pub(super) fn overlapping(&mut self, op: &Op) -> Result<(), Wrong> {
        let random = &mut op.random(0);
        for _ in 0..if self.oracle.len() < MANY { 6 } else { 1 } {
            let id = random.below(self.config.objects.into()) as u32;
            let Some(object) = self.oracle.get(id).map(|object| object.handle) else { continue };
            let expected = Ok(self.oracle.overlapping(object));
            let subject_of = format!("objects that overlap {object}");
            self.each(&subject_of, &expected, |subject| subject.overlapping(object))?;
            self.totals.operations += 1;
        }
        Ok(())
    }

    fn pair_search(&self, random: &mut Random) -> PairSearch {
        let distance = Some(self.distance(random)).filter(|_| random.chance(60));
        let mut layers = || if random.chance(70) { !0 } else { random.below(16) };
        let layers = [layers(), layers()];
        PairSearch { distance, layers, algorithm: random.pick(Algorithm::ALL) }
    }

    pub(super) fn pairs_within(&mut self, op: &Op) -> Result<(), Wrong> {
        let search = self.pair_search(&mut op.random(0));
        let found = self.both(|subject| subject.pairs_within(&search));
        self.totals.operations += 2;
        // The oracle tests all images of all pairs, which takes too long for many objects. Then the
        // second world and the other method are compared with the first world.
        let is_slow = self.oracle.len() >= MANY && self.config.wraps();
        let expected = match is_slow {
            true => found[0][0].clone(),
            false => self.oracle.pairs_within(&search),
        };
        self.situations.add("near pairs", expected.len());
        let subject_of = format!("pair of {search:?}");
        for (which, [list, visited]) in found.iter().enumerate() {
            self.compare(which, &subject_of, list, &expected)?;
            self.compare(which, &format!("{subject_of}, visited"), visited, &expected)?;
        }
        Ok(())
    }

    pub(super) fn pairs_with(&mut self, op: &Op) -> Result<(), Wrong> {
        let random = &mut op.random(u32::MAX);
        let search = self.pair_search(random);
        let count = random.pick(&[0, 3, 20, 20, 90]);
        let is_copy = random.chance(25) && self.oracle.len() < MANY;
        let new: Vec<New> =
            (0..count).map(|user| self.maker.object(&mut op.random(user), user)).collect();
        let object = |(slot, new): (u32, &New)| {
            let placed = self.oracle.place(&new.volume).expect("a valid volume");
            Object::new(slot, Handle::from_bits(u64::from(slot) << 32), new, placed)
        };
        let others: Vec<Object> = match is_copy {
            true => self.oracle.to_list(),
            false => (0..).zip(&new).map(object).collect(),
        };
        let handles: Vec<Handle> = others.iter().map(|object| object.handle).collect();
        let expected = self.oracle.pairs_with(&others, &search);
        self.situations.add("pairs of two worlds", expected.len());
        let new = Some(&new[..]).filter(|_| !is_copy);
        let found = self.both(|subject| subject.pairs_with(new, &search));
        for (which, (theirs, found)) in found.into_iter().enumerate() {
            self.compare(which, "handle of another world", &theirs, &handles)?;
            let [all, visited] = found;
            let subject_of = format!("pair with another world, {search:?}");
            self.compare(which, &subject_of, &all, &expected)?;
            self.compare(which, &format!("{subject_of}, visited"), &visited, &expected)?;
        }
        self.totals.operations += u64::from(count) + 1;
        Ok(())
    }

    /// Counts the results of a query, and the contacts that a path ignores.
    fn count(&mut self, question: &Question, found: usize) {
        let what = match question.shape {
            Shape::Region { .. } => "found in regions",
            Shape::Target { .. } => "neighbors",
            _ => "hits",
        };
        self.situations.add(what, found);
        self.situations.add_if(found == question.take && found > 0, "limited results");
        if let Some(shape) = question.shape.with_contacts() {
            let all = self.oracle.answer(&Question { shape, ..*question }).len();
            self.situations.add("contacts ignored", all.saturating_sub(found));
        }
    }
}

/// Returns the part of all results that a query with this kind of request returns.
fn requested(question: &Question, answer: &Found) -> Found {
    let nothing = (Handle::from_bits(0), [0.0; 2]);
    match question.request {
        Request::List | Request::Reused | Request::Visit => answer.clone(),
        Request::Panic => Vec::new(),
        Request::First => answer.iter().take(1).copied().collect(),
        Request::Stop => vec![nothing; answer.len().min(1)],
    }
}
