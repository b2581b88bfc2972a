//! Printed distances: equal in all commands and in both directions, finite, and such that a search
//! within a printed distance finds the pair.

use std::collections::HashMap;

use serde_json::Value;

use crate::oracle::Random;
use crate::run::Folder;

/// Returns random objects with one decimal, multiplied by a power of ten: points, boxes or discs in
/// a square with a side of 40.
fn scene(seed: u64, form: &str, count: usize, decimals: bool, exponent: i32) -> String {
    let mut random = Random(seed);
    let mut text = format!("{form}\n");
    let columns = form.split(',').count();
    for _ in 0..count {
        let [x, y, r, s] = [400, 400, 20, 20].map(|below| random.below(below));
        let fields = match columns {
            2 => vec![x, y],
            3 => vec![x, y, r],
            _ => vec![x, y, x + r, y + s],
        };
        let fields = fields.iter().map(|tenths| match decimals {
            true => format!("{}.{}e{exponent}", tenths / 10, tenths % 10),
            false => tenths.to_string(),
        });
        text += &(fields.collect::<Vec<_>>().join(",") + "\n");
    }
    text
}

/// Asserts that distances are symmetric and finite, and that the pairs within a printed distance
/// are those with at most this distance. Except for discs, a search within the next smaller number
/// finds fewer pairs. `square` is the side of the square of the scene.
fn check(text: &str, square: &str, scalar: &str, options: &str) {
    let folder = Folder::with_scene(text);
    let radius = square.replacen("40", "6", 1);
    let line = format!("neighbors scene.csv --radius {radius} --scalar {scalar}{options}");
    let run = folder.run(&line);
    let mut distances = HashMap::new();
    for line in run.text().lines() {
        let [a, b, distance] = line.split(',').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let [a, b] = [a, b].map(|id| id.parse::<usize>().unwrap());
        distances.insert([a, b], distance.to_string());
    }
    assert!(distances.len() > 40, "{line}: {}", distances.len());
    for ([a, b], distance) in &distances {
        assert_eq!(Some(distance), distances.get(&[*b, *a]), "{line}: {a} {b}");
    }
    let value = |text: &String| text.parse::<f64>().unwrap();
    let mut ascending: Vec<_> = distances.values().collect();
    ascending.sort_by(|a, b| value(a).total_cmp(&value(b)));
    for n in 1..8 {
        let within = ascending[n * ascending.len() / 8 - 1].clone();
        let [within, below] = match scalar {
            "f32" => [within.clone(), within.parse::<f32>().unwrap().next_down().to_string()],
            "f64" => [within.clone(), value(&within).next_down().to_string()],
            _ => [0.0, 1.0].map(|less| (value(&within).ceil() - less).to_string()),
        };
        let is_disc = text.starts_with("x,y,r");
        for limit in [within, below].into_iter().take(if is_disc { 1 } else { 2 }) {
            let mut expected: Vec<_> = distances
                .iter()
                .filter(|([a, b], it)| a < b && value(it) <= value(&limit))
                .collect();
            expected.sort();
            let lines: String = expected.iter().map(|([a, b], _)| format!("{a},{b}\n")).collect();
            if value(&limit) >= 0.0 {
                let line = format!("pairs scene.csv --within {limit} --scalar {scalar}{options}");
                assert_eq!(folder.run(&line).text(), lines, "{line}\n{text}");
            }
        }
    }
}

#[test]
fn a_search_within_a_printed_distance_finds_the_pair() {
    for (seed, form) in [(1, "x,y"), (2, "x,y,r"), (3, "min_x,min_y,max_x,max_y")] {
        for (scalar, exponents) in
            [("f32", [-40, -30, 0, 3, 18, 36]), ("f64", [-319, -200, 0, 3, 180, 300])]
        {
            for exponent in exponents {
                let text = scene(seed, form, 60, true, exponent);
                let square = format!("40e{exponent}");
                check(&text, &square, scalar, "");
                // Smaller numbers are lost when they are moved home.
                check(&text, &square, scalar, &format!(" --wrap {square},0"));
            }
        }
        let text = scene(seed, form, 60, false, 0);
        check(&text, "400", "i32", "");
        check(&text, "400", "i32", " --wrap 400,0");
    }
}

#[test]
fn objects_that_were_asymmetric_are_symmetric() {
    for (rows, options, distance) in [
        ("x,y,r\n1.4,1.9,0.6\n0.8,0.4,0.3\n", "--scalar f64", "0.7155494421403511"),
        ("x,y\n-2.5,0\n-0.6,0\n", "--wrap 8,0 --scalar f64", "1.9000000000000004"),
        // The first point is stored at the seam, which is 0.
        ("x,y\n-4.4e-52,0\n0,0\n", "--wrap 8,8 --scalar f64", "0"),
        ("x,y\n-1e-9,0\n0,0\n", "--wrap 8,8", "0"),
    ] {
        let folder = Folder::with_scene(rows);
        let run = folder.run(&format!("neighbors scene.csv --nearest 1 {options}"));
        assert_eq!(run.text(), format!("0,1,{distance}\n1,0,{distance}\n"), "{rows}");
        for within in ["", " --within 0", &format!(" --within {distance}")] {
            let found = folder.run(&format!("pairs scene.csv {options}{within}"));
            let is_found = distance == "0" || within.ends_with(distance);
            assert_eq!(found.text(), if is_found { "0,1\n" } else { "" }, "{rows} {within}");
        }
    }
}

#[test]
fn all_commands_print_the_same_distances() {
    let texts = [
        scene(4, "x,y", 15, true, 0),
        scene(5, "x,y", 15, true, 18),
        scene(6, "x,y", 15, true, -31),
        "x,y\n93.032,-37.28\n-0.839,-61.912\n".into(),
    ];
    for text in texts {
        let folder = Folder::with_scene(&text);
        for options in ["", " --scalar f64", " --wrap 100,0"] {
            let neighbors = folder.run(&format!("neighbors scene.csv --nearest 3{options}"));
            for (row, at) in text.lines().skip(1).enumerate() {
                let line = format!("query scene.csv --nearest 4 --point={at}{options}");
                let found = folder.run(&line);
                let (own, start) = (format!("0,{row},"), format!("{row},"));
                let others = found.text().lines().filter(|line| !line.starts_with(&own));
                let others: Vec<_> = others.map(|line| &line[2..]).collect();
                let expected = neighbors.text().lines().filter_map(|it| it.strip_prefix(&start));
                assert_eq!(others, expected.collect::<Vec<_>>(), "{line}");
            }
        }
    }
}

#[test]
fn extreme_distances_are_finite_and_not_zero() {
    let far = Folder::with_scene("x,y\n2e19,2e19\n-2e19,0\n0,0\n");
    let text = "0,2,0\n0,1,20000000000000000000\n0,0,28284270000000000000\n";
    assert_eq!(far.run("query scene.csv --nearest 3 --point=0,0").text(), text);
    let near = Folder::with_scene("x,y\n1e-30,0\n0,0\n");
    let text = "0,1,0\n0,0,0.000000000000000000000000000001\n";
    assert_eq!(near.run("query scene.csv --nearest 2 --point 0,0").text(), text);
    for (scalar, x) in [("f32", "3e38"), ("f64", "1.7e308")] {
        let folder = Folder::with_scene(format!("x,y\n-{x},0\n{x},0\n"));
        for line in [
            format!("query scene.csv --nearest 2 --point=-{x},0"),
            "neighbors scene.csv --nearest 1".into(),
        ] {
            let run = folder.run(&format!("{line} --json --scalar {scalar}"));
            let lines = run.text().lines().map(serde_json::from_str::<Value>);
            let distances = lines.map(|line| line.expect("JSON")["distance"].as_f64().unwrap());
            let most = distances.fold(0.0, f64::max);
            assert!((5.9e38..).contains(&most) && most.is_finite(), "{line} {scalar}: {most}");
        }
    }
}

#[test]
fn pairs_within_zero_are_the_pairs_that_overlap() {
    // Ends that are close to a seam, or on it, so that rounding decides.
    for form in ["x,y", "min_x,min_y,max_x,max_y"] {
        let mut random = Random(7);
        let mut text = format!("{form}\n");
        for _ in 0..150 {
            let mut end = || {
                let off = [0, -1, 1, -3][random.below(4) as usize];
                let power = [-46, -9, -8, -7, -6, -1][random.below(6) as usize];
                let seam = 8.0 * (random.below(3) - 1) as f64;
                let end = seam + f64::from(off) * 10f64.powi(power);
                if off != 0 && power == -46 && seam == 0.0 { f64::from(off) * 1e-46 } else { end }
            };
            let (a, b, c, d) = (end(), end(), end(), end());
            let fields = match form {
                "x,y" => vec![a, b],
                _ => vec![a.min(c), b.min(d), a.max(c), b.max(d)],
            };
            let fields = fields.iter().map(|end| format!("{end:e}"));
            text += &(fields.collect::<Vec<_>>().join(",") + "\n");
        }
        let folder = Folder::with_scene(text);
        for scalar in ["f32", "f64"] {
            let pairs = folder.run(&format!("pairs scene.csv --wrap 8,8 --scalar {scalar}"));
            let count = pairs.text().lines().count();
            assert!(count > 100 && count < 11_175, "{form} {scalar}: {count}");
            let line = format!("pairs scene.csv --wrap 8,8 --within 0 --scalar {scalar}");
            assert_eq!(folder.run(&line).text(), pairs.text(), "{form} {scalar}");
        }
    }
}
