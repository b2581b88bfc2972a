//! Compares `cells` and `overlaps` with brute force: random boxes of very different sizes, lists of
//! levels, distances, one table and two, partial states that are merged.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Float32Array, Float64Array, Int64Array, StringArray,
    UInt64Array,
};
use arrow::compute::{cast, take};
use arrow::datatypes::{DataType, Field, Int64Type, Schema, UInt64Type};
use broadphase_core::{Aabb, BruteForce, SpatialIndexExt};
use datafusion_common::config::ConfigOptions;
use datafusion_common::{Result, ScalarValue};
use datafusion_expr::function::AccumulatorArgs;
use datafusion_expr::{AggregateUDF, ColumnarValue, EmitTo, GroupsAccumulator, ScalarFunctionArgs};

/// A pseudo-random sequence (xorshift).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 8
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}

/// Calls `cells`.
fn list(columns: &[ArrayRef], levels: &[i64], within: Option<f64>) -> Result<ArrayRef> {
    let mut args: Vec<_> = columns.iter().map(|x| ColumnarValue::Array(Arc::clone(x))).collect();
    let levels: Vec<_> = levels.iter().map(|&level| ScalarValue::Int64(Some(level))).collect();
    let levels = ScalarValue::List(ScalarValue::new_list(&levels, &DataType::Int64, true));
    args.push(ColumnarValue::Scalar(levels));
    args.extend(within.map(|x| ColumnarValue::Scalar(ScalarValue::Float64(Some(x)))));
    let arguments = ScalarFunctionArgs {
        args,
        arg_fields: Vec::new(),
        number_rows: columns[0].len(),
        return_field: Arc::new(Field::new("cells", crate::cells().return_type(&[])?, true)),
        config_options: Arc::new(ConfigOptions::default()),
    };
    crate::cells().invoke_with_args(arguments)?.to_array(columns[0].len())
}

/// Creates the state of an aggregate function for arguments of these types.
fn groups(function: &AggregateUDF, columns: &[ArrayRef]) -> Box<dyn GroupsAccumulator> {
    let fields = columns.iter().map(|x| Arc::new(Field::new("x", x.data_type().clone(), true)));
    let fields: Vec<_> = fields.collect();
    let args = AccumulatorArgs {
        return_field: Arc::new(Field::new("pairs", DataType::Null, true)),
        schema: &Schema::empty(),
        ignore_nulls: false,
        order_bys: &[],
        is_reversed: false,
        name: "overlaps",
        is_distinct: false,
        exprs: &[],
        expr_fields: &fields,
    };
    function.create_groups_accumulator(args).expect("the types are right")
}

/// Runs an aggregate function in the three ways in which partial states are made, merges them, and
/// returns the pairs, sorted.
fn aggregate(
    function: &AggregateUDF,
    columns: &[ArrayRef],
    cells: &UInt64Array,
) -> Result<Vec<[i64; 2]>> {
    let mut names: Vec<u64> = cells.values().to_vec();
    names.sort_unstable();
    names.dedup();
    let number = |cell: &u64| names.binary_search(cell).expect("it is listed");
    let numbers: Vec<usize> = cells.values().iter().map(number).collect();
    let rows = columns[0].len();
    let third = |part: usize| (part * rows / 3, (part + 1) * rows / 3 - part * rows / 3);
    let part = |at: usize| -> Vec<ArrayRef> {
        columns.iter().map(|column| column.slice(third(at).0, third(at).1)).collect()
    };
    let numbers_of = |at: usize| &numbers[third(at).0..third(at).0 + third(at).1];
    let mut whole = groups(function, columns);
    let mut partial = groups(function, columns);
    partial.update_batch(&part(0), numbers_of(0), None, names.len())?;
    // The state of the first groups is emitted before the others.
    let early = partial.state(EmitTo::First(names.len() / 2))?;
    let firsts: Vec<usize> = (0..names.len() / 2).collect();
    whole.merge_batch(&early, &firsts, names.len())?;
    let late: Vec<usize> = (names.len() / 2..names.len()).collect();
    whole.merge_batch(&partial.state(EmitTo::All)?, &late, names.len())?;
    let single = whole.convert_to_state(&part(1), None)?;
    whole.merge_batch(&single, numbers_of(1), names.len())?;
    whole.update_batch(&part(2), numbers_of(2), None, names.len())?;
    assert!(rows == 0 || whole.size() > 0);
    let lists = whole.evaluate(EmitTo::All)?;
    assert_eq!(lists.len(), names.len());
    let pairs = lists.as_list::<i32>().values().as_struct().clone();
    let [a, b] =
        [0, 1].map(|at| cast(pairs.column(at), &DataType::Int64).expect("ids are integers"));
    let [a, b] = [&a, &b].map(|ids| ids.as_primitive::<Int64Type>().values());
    let mut found: Vec<[i64; 2]> = a.iter().zip(b).map(|(&a, &b)| [a, b]).collect();
    found.sort_unstable();
    Ok(found)
}

/// Random boxes: minimum and maximum of each.
fn boxes<const D: usize>(random: &mut Random, count: u64) -> Vec<Aabb<f32, D>> {
    let mut one = || {
        // Quarters, so that boxes touch; one of 8 is a giant, one of 8 a point.
        let size = [0, 40, 40, 40, 40, 40, 40, 1_000][random.below(8) as usize];
        let min: [f32; D] = core::array::from_fn(|_| random.below(800) as f32 / 4.0 - 100.0);
        let max = min.map(|x| x + random.below(size + 1) as f32 / 4.0);
        Aabb { min, max }
    };
    (0..count).map(|_| one()).collect()
}

/// Returns the columns of boxes, minima and maxima.
fn columns<const D: usize>(boxes: &[Aabb<f32, D>], wide: bool) -> Vec<ArrayRef> {
    let column = |end: usize, axis: usize| -> ArrayRef {
        let values = boxes.iter().map(|one| [one.min, one.max][end][axis]);
        match wide {
            true => Arc::new(Float64Array::from_iter_values(values.map(f64::from))),
            false => Arc::new(Float32Array::from_iter_values(values)),
        }
    };
    (0..2 * D).map(|at| column(at / D, at % D)).collect()
}

fn world<const D: usize>(boxes: &[Aabb<f32, D>]) -> BruteForce<f32, D> {
    let mut world = BruteForce::new();
    let rows = boxes.iter().enumerate();
    world.extend(rows.map(|(row, &bounds)| (row as u32, bounds))).expect("boxes are valid");
    world
}

fn law<const D: usize>(levels: &[i64], within: Option<f64>, wide: bool, seed: u64) {
    let random = &mut Random(seed);
    let (count, other_count) = (1 + random.below(300), random.below(200));
    let first = boxes::<D>(random, count);
    let second = boxes::<D>(random, other_count);
    let distance = within.unwrap_or(0.0) as f32;
    let to_ids = |pairs: Vec<[u32; 2]>| pairs.into_iter().map(|pair| pair.map(i64::from)).collect();
    let mut expected = Vec::new();
    world(&first).pairs_within(distance, &mut expected);
    let expected: Vec<[i64; 2]> = to_ids(expected);
    let mut between = Vec::new();
    world(&first).pairs_with(&mut world(&second), distance, &mut between);
    let between: Vec<[i64; 2]> = to_ids(between);

    for is_join in [false, true] {
        let all: Vec<_> = if is_join { [&first[..], &second].concat() } else { first.clone() };
        let corners = columns(&all, wide);
        let lists = list(&corners, levels, within).expect("boxes are valid");
        let lists = lists.as_list::<i32>();
        let cells = lists.values().as_primitive::<UInt64Type>().clone();
        // Rows in random order, each with one of its cells.
        let mut rows: Vec<(u64, u32, u32)> = Vec::new();
        for (row, ends) in lists.value_offsets().windows(2).enumerate() {
            rows.extend((ends[0]..ends[1]).map(|at| (random.next(), row as u32, at as u32)));
        }
        rows.sort_unstable();
        let sources: arrow::array::UInt32Array = rows.iter().map(|row| Some(row.1)).collect();
        let at: arrow::array::UInt32Array = rows.iter().map(|row| Some(row.2)).collect();
        let cells = take(&cells, &at, None).expect("rows exist");
        let count = first.len();
        let id = |row: usize| if row < count { row } else { row - count };
        let ids = Int64Array::from_iter_values((0..all.len()).map(|row| id(row) as i64));
        let side: BooleanArray = (0..all.len()).map(|row| Some(row >= count)).collect();
        let mut arguments: Vec<ArrayRef> = Vec::new();
        if is_join {
            arguments.push(Arc::new(side));
        }
        arguments.push(Arc::new(ids));
        arguments.extend(corners);
        let mut arguments: Vec<ArrayRef> =
            arguments.iter().map(|x| take(x, &sources, None).expect("rows exist")).collect();
        arguments.push(Arc::clone(&cells));
        arguments
            .extend(within.map(|x| Arc::new(Float64Array::from(vec![x; rows.len()])) as ArrayRef));
        let function = if is_join { crate::overlaps_between() } else { crate::overlaps() };
        let found = aggregate(&function, &arguments, cells.as_primitive()).expect("rows are valid");
        let expected = if is_join { &between } else { &expected };
        assert!(
            found == *expected,
            "{found:?} is not {expected:?}, levels {levels:?}, seed {seed}"
        );
    }
}

#[test]
fn pairs_are_those_of_brute_force_and_each_is_found_once() {
    for seed in 1..7 {
        for within in [None, Some(0.0), Some(3.0)] {
            law::<2>(&[3], within, seed % 2 == 0, seed);
            law::<2>(&[0, 4, 11], within, seed % 2 == 1, seed);
            law::<3>(&[5], within, seed % 2 == 0, seed);
            law::<3>(&[2, 6, 9], within, seed % 2 == 1, seed);
            // Cells so small that the coordinates are out of their range.
            law::<2>(&[-19, -8, 3, 10], within, true, seed);
        }
    }
}

#[test]
fn giants_touch_a_bounded_number_of_cells() {
    let giant = [Aabb { min: [-1e9; 3], max: [1e9; 3] }, Aabb { min: [0.0; 3], max: [1.0; 3] }];
    let lists = list(&columns(&giant, false), &[0, 12, 24], None).unwrap();
    let counts: Vec<i32> =
        lists.as_list::<i32>().value_offsets().windows(2).map(|ends| ends[1] - ends[0]).collect();
    assert!(counts[0] <= 1 << 20 && counts[1] <= 3 * 8, "{counts:?}");
    let error = list(&columns(&giant, false), &[0], None).unwrap_err().to_string();
    assert!(error.contains("coarser level"), "{error}");
}

#[test]
fn bad_boxes_and_levels_are_refused() {
    let refused = |min: f64, max: f64, levels: &[i64], text: &str| {
        let column = |x: f64| Arc::new(Float64Array::from(vec![x])) as ArrayRef;
        let columns = [column(0.0), column(min), column(0.0), column(max)];
        let error = list(&columns, levels, None).unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    };
    refused(f64::NAN, 0.0, &[1], "axis y is NaN");
    refused(0.0, f64::INFINITY, &[1], "axis y is inf");
    refused(2.0, 1.0, &[1], "minimum 2 is above maximum 1 on axis y");
    refused(1.0, 2.0, &[], "levels are empty");
    refused(1.0, 2.0, &[4, 4], "not 1 to 16 above");
    refused(1.0, 2.0, &[512], "not in -512..=511");
    // A box with a null has no list.
    let null: ArrayRef = Arc::new(Float64Array::from(vec![None]));
    assert!(list(&[&null; 4].map(Arc::clone), &[1], None).unwrap().is_null(0));
}

#[test]
fn errors_name_the_id() {
    let run = |ids: ArrayRef, x: [Option<f64>; 2], cells: [u64; 2]| {
        let zero: ArrayRef = Arc::new(Float64Array::from(vec![0.0; 2]));
        let x: ArrayRef = Arc::new(Float64Array::from(x.to_vec()));
        let cells: ArrayRef = Arc::new(UInt64Array::from(cells.to_vec()));
        let columns = [ids, Arc::clone(&zero), zero.clone(), x, zero, cells];
        let mut groups = groups(&crate::overlaps(), &columns);
        groups.update_batch(&columns, &[0, 0], None, 1).unwrap();
        groups.evaluate(EmitTo::All).map(|lists| lists.as_list::<i32>().value(0).len())
    };
    let ids = |ids: [&str; 2]| Arc::new(StringArray::from(ids.to_vec())) as ArrayRef;
    let cell = list(&columns(&[Aabb { min: [0.0; 2], max: [0.0; 2] }], true), &[0], None).unwrap();
    let cell = cell.as_list::<i32>().values().as_primitive::<UInt64Type>().value(0);
    let error = |result: Result<usize>| result.unwrap_err().to_string();
    assert_eq!(run(ids(["a", "b"]), [Some(0.0), Some(1.0)], [cell; 2]).unwrap(), 1);
    let same = error(run(ids(["a", "a"]), [Some(0.0), Some(1.0)], [cell; 2]));
    assert!(same.contains("two boxes have the id \"a\""), "{same}");
    let null = error(run(ids(["a", "b"]), [Some(0.0), None], [cell; 2]));
    assert!(null.contains("the box of id b is not valid"), "{null}");
    let inverted = error(run(ids(["a", "b"]), [Some(0.0), Some(-1.0)], [cell; 2]));
    assert!(inverted.contains("minimum 0 is above maximum -1"), "{inverted}");
    let cells = error(run(ids(["a", "b"]), [Some(0.0), Some(1.0)], [cell, cell + 1]));
    assert!(cells.contains("GROUP BY cell"), "{cells}");
}
