//! `hexphase render`: pictures of scenes.

use std::fs;
use std::path::Path;

use crate::oracle::Random;
use crate::run::{Folder, Run, run};

/// The colors of the borders of objects that overlap no other object, and of objects that overlap
/// one.
const COLORS: [&str; 2] = ["#0072b2", "#d55e00"];

/// Returns the number of rectangles with a border of this color, not counting the mark in the
/// legend.
fn boxes_with_border(svg: &str, color: &str) -> usize {
    let groups = svg.split("<g").filter(|group| {
        let attributes = group.split('>').next().unwrap_or_default();
        attributes.contains(&format!(" stroke=\"{color}\""))
    });
    groups.map(|group| group.matches("<rect").count()).sum::<usize>() - 1
}

#[test]
fn overlapping_boxes_are_those_of_brute_force() {
    let mut random = Random(7);
    let mut axis = |count: i64, side: i64| {
        let low = random.below(count);
        [low, low + 3 + random.below(side)]
    };
    for dimensions in [2, 3] {
        let boxes: Vec<[[i64; 2]; 3]> = (0..70)
            .map(|_| {
                [axis(200, 25), axis(200, 25), if dimensions == 2 { [0; 2] } else { axis(99, 25) }]
            })
            .collect();
        let names = "min_x,max_x,min_y,max_y,min_z,max_z";
        let mut table = format!("{}\n", &names[..12 * dimensions - 1]);
        for bounds in &boxes {
            let ends = bounds[..dimensions].iter().flatten().map(ToString::to_string);
            table += &(ends.collect::<Vec<_>>().join(",") + "\n");
        }
        let overlap = |a: usize, b: usize| {
            let mut axes = boxes[a].iter().zip(&boxes[b]);
            axes.all(|(x, y)| x[0] <= y[1] && y[0] <= x[1])
        };
        let partners = |a: usize| (0..70).filter(|&b| a != b && overlap(a, b)).count();
        let pairs = (0..70).map(partners).sum::<usize>() / 2;
        let strong = (0..70).filter(|&a| partners(a) > 0).count();
        assert!((10..70).contains(&strong), "{strong} boxes overlap another");
        let run = Folder::with_scene(table).run("render scene.csv");
        let svg = run.text();
        assert_eq!(COLORS.map(|color| boxes_with_border(svg, color)), [70 - strong, strong]);
        assert!(svg.contains(&format!(">70 objects, {pairs} overlapping pairs")), "{svg}");
        assert!(svg.contains(&format!(">{strong} objects overlap another</text>")), "{svg}");
        let summary = format!("hexphase: 70 objects, {dimensions} dimensions (f32), {pairs} pairs");
        assert!(run.err.starts_with(&summary), "{}", run.err);
        assert_eq!(svg.contains("seen along z"), dimensions == 3);
    }
}

/// Returns the sum of the counts in all entries of the legend that begin with this word.
fn objects_in_legend(svg: &str, word: &str) -> u64 {
    let entries = svg.split("<text").filter(|entry| entry.contains(&format!(">{word} ")));
    let counts = entries.map(|entry| {
        let (_, count) = entry.rsplit_once(": ").expect("a count");
        let count = count.split(' ').next().unwrap_or_default().replace(',', "");
        count.parse::<u64>().expect("a number")
    });
    counts.sum()
}

#[test]
fn classes_of_sizes_and_levels_contain_all_objects() {
    for scene in ["tail:400", "discs:400", "terdiman:300", "mixed:20000"] {
        let count: u64 = scene.split(':').nth(1).and_then(|count| count.parse().ok()).unwrap();
        for (by, word) in [("size", "sides"), ("level", "level")] {
            let picture = run(&format!("render {scene} --size 300 --color-by {by}"));
            assert_eq!(objects_in_legend(picture.text(), word), count, "{scene} {by}");
        }
    }
}

#[test]
fn many_objects_are_drawn_as_squares() {
    let picture = run("render clustered:20000 --size 300");
    let svg = picture.text();
    assert!(picture.err.contains(" drawn as squares, 300 x "), "{}", picture.err);
    assert!(svg.len() < 20_000, "{} bytes", svg.len());
    assert!(svg.contains(">pale squares touch 1 object, "), "{svg}");
    let few = run("render clustered:300 --size 300 --cells");
    assert!(few.err.contains(" drawn as discs, 300 x "), "{}", few.err);
    assert!(few.text().contains(">cells of "), "{}", few.text());
}

#[test]
fn pictures_are_equal_in_every_run() {
    let folder = Folder::new();
    let bytes = |name: &str| fs::read(folder.path(name)).unwrap();
    for options in ["tail3:300 --size 300 --cells --color-by level", "discs:20000 --size 300"] {
        for name in ["a.svg", "b.svg", "a.png", "b.PNG"] {
            let picture = folder.run(&format!("render {options} --output {name}"));
            assert_eq!(picture.text(), "");
        }
        assert_eq!(bytes("a.svg"), bytes("b.svg"));
        assert_eq!(bytes("a.png"), bytes("b.PNG"));
        assert_eq!(bytes("a.png")[..4], *b"\x89PNG");
        assert_eq!(bytes("a.svg"), run(&format!("render {options}")).out);
    }
}

#[test]
fn objects_of_generated_scenes_move() {
    let at = |tick: u32| run(&format!("render discs:50 --tick {tick}")).text().to_owned();
    let [start, moved] = [at(0), at(3)];
    assert!(start.contains(">discs:50</text>") && moved.contains(">discs:50, tick 3</text>"));
    let discs = |svg: &str| svg.lines().filter(|line| line.starts_with("<circle cx")).count();
    assert_eq!(discs(&start), discs(&moved));
    let common = start.lines().filter(|line| line.starts_with("<circle") && moved.contains(*line));
    assert!(common.count() < 10, "most discs are at other places");
}

#[test]
fn discs_are_drawn_in_their_boxes() {
    let number = |shape: &str, name: &str| -> f32 {
        let (_, rest) = shape.split_once(&format!("{name}=\"")).expect(name);
        rest.split('"').next().and_then(|text| text.parse().ok()).expect(name)
    };
    // The same bounds, as discs and as boxes. The first shape is the ground, the last two are in
    // the legend.
    let folder = Folder::new()
        .with("discs.csv", "x,y,r\n10,20,10\n45,30,5\n48,37,5\n")
        .with("boxes.csv", "min_x,min_y,max_x,max_y\n0,10,20,30\n40,25,50,35\n43,32,53,42\n");
    let [discs, boxes] = ["discs", "boxes"].map(|name| {
        let run = folder.run(&format!("render {name}.csv"));
        let shape = if name == "discs" { "<circle " } else { "<rect x" };
        let shapes: Vec<String> =
            run.text().lines().filter(|line| line.starts_with(shape)).map(Into::into).collect();
        assert!(run.err.contains(&format!(", 1 pair, drawn as {name}, ")), "{}", run.err);
        let note = run.text().contains(">3 objects, 1 overlapping pair, pairs of the boxes around");
        assert_eq!(note, name == "discs", "{}", run.text());
        (shapes, run.text().to_owned())
    });
    assert_eq!(discs.0.len(), 5, "{}", discs.1);
    for disc in &discs.0[..3] {
        let [x, y, r] = ["cx", "cy", " r"].map(|name| number(disc, name));
        let has_bounds = |shape: &&String| {
            let expected = [(" x", x - r), (" y", y - r), ("width", 2.0 * r), ("height", 2.0 * r)];
            expected.iter().all(|&(name, value)| (number(shape, name) - value).abs() < 0.03)
        };
        // The note may take another line, so pictures may be shifted.
        assert_eq!(boxes.0.iter().filter(has_bounds).count(), 1, "{disc} {}", boxes.1);
    }
    // The ids of discs are in their centers.
    for id in 0..3 {
        let end = format!(">{id}</text>");
        let label = discs.1.lines().find(|line| line.ends_with(&end)).expect("an id");
        let distance = |disc: &String| (number(disc, "cx") - number(label, " x")).abs();
        let nearest = discs.0[..3].iter().map(distance).fold(f32::MAX, f32::min);
        assert!(nearest < 8.0, "{label}");
    }
    // A scene with other objects than discs is drawn as boxes.
    let both = folder.run("render discs.csv boxes.csv");
    assert!(both.err.contains(", drawn as boxes, ") && !both.text().contains("<circle"));
}

#[test]
fn degenerate_scenes_are_drawn() {
    let repeated = |row: &str| format!("x,y,r\n{}", format!("{row}\n").repeat(40));
    for (table, options, text) in [
        ("x,y,r\n".to_owned(), "", ">no objects</text>"),
        ("x,y,r\n5,5,1\n".to_owned(), "", ">1 object overlaps no other</text>"),
        (
            repeated("3,4,2"),
            " --color-by level --cells",
            ">40 objects, 780 overlapping pairs</text>",
        ),
        (repeated("3,4,0"), " --color-by size", ">sides 0: 40 objects</text>"),
        ("x,y,r\n3e38,-3e38,1e37\n-3e38,3e38,0\n".to_owned(), " --cells", ">x -3e38 to 3.1e38"),
        ("x,y,r\n1e308,-1e308,1e307\n-1e308,1e308,0\n".to_owned(), " --scalar f64", "1e308"),
        ("x,y,r\n1e-45,3e-45,1e-45\n9e-45,9e-45,0\n".to_owned(), " --color-by size", "e-45"),
        ("x,y,r\n0,0,1000000\n3,4,0.001\n8,9,0.001\n".to_owned(), " --cells", "3 objects"),
        ("x,y,r\n1e30,5,1\n1e30,5,1\n".to_owned(), "", ">2 objects overlap another</text>"),
        ("x,y,r\n0,7,0\n100000,7,0\n".to_owned(), " --scalar i32", ">0 objects overlap another"),
    ] {
        let folder = Folder::with_scene(&table);
        let picture = folder.run(&format!("render scene.csv --size 300{options}"));
        let svg = picture.text();
        assert!(svg.contains(text), "{table}{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{table}{svg}");
        let file = folder.run(&format!("render scene.csv --size 300{options} --output a.png"));
        assert_eq!(file.text(), "", "{table}");
    }
}

#[test]
fn names_are_escaped() {
    let folder = Folder::new().with("a<b&c.csv", "x,y,r\n1,2,3\n");
    let picture = folder.run("render a<b&c.csv");
    assert!(picture.text().contains(">a&lt;b&amp;c.csv</text>"), "{}", picture.text());
}

#[test]
fn errors_name_the_option() {
    let folder = Folder::new().with("scene.svg", "x,y,r\n1,2,3\n");
    let error = |line: &str, message: &str| folder.run(line).assert_error(message);
    error(
        "render scene.svg --output scene.svg",
        "--output: scene.svg is an input file and would be lost",
    );
    error("render scene.svg --output a.jpg", "--output: a.jpg: the ending must be .svg or .png");
    error("render scene.svg --output png", "--output: png: the ending must be .svg or .png");
    error("render scene.svg --tick 1", "--tick: only the objects of generated scenes move");
    error("render scene.svg --output no/a.svg", "no/a.svg: no such file or folder");
    let Run { status, err, .. } = folder.run("render scene.svg --size 100");
    assert_eq!(status, 2);
    assert!(err.contains("100 is not in 300..=4000"), "{err}");
    assert_eq!(folder.names(), ["scene.svg"]);
}

/// Each picture in a README is the output of a command in this README.
#[test]
fn pictures_of_readmes_are_made_by_their_commands() {
    const MAX_BYTES: usize = 60_000;
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut made = Vec::new();
    for (readme, pictures) in
        [("README.md", "pictures/"), ("../../README.md", "facade/cli/pictures/")]
    {
        let text = fs::read_to_string(package.join(readme)).expect("a README");
        for line in text.lines() {
            let Some((_, arguments)) = line.split_once(" render ") else { continue };
            let Some((options, name)) = arguments.split_once(" --output ") else { continue };
            let name = name.split_whitespace().next().unwrap_or_default();
            if !text.contains(&format!("]({pictures}{name})")) {
                continue;
            }
            let picture = run(&format!("render {options}"));
            let expected = fs::read_to_string(package.join("pictures").join(name)).expect(name);
            let advice = format!("to update pictures/{name}: hexphase render {arguments}");
            assert!(picture.text() == expected, "{advice}");
            assert!(expected.len() < MAX_BYTES, "{name} has {} bytes", expected.len());
            made.push(name.to_owned());
        }
    }
    made.sort();
    let files = fs::read_dir(package.join("pictures")).expect("a folder");
    let mut names: Vec<String> = files
        .map(|file| file.expect("a file").file_name().into_string().expect("a name"))
        .collect();
    names.sort();
    assert_eq!(names, made);
}
