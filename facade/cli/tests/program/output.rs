//! Output files appear when they are complete, or not at all.

use std::fs;

use crate::run::Folder;

const PAIRS: &str = "pairs discs:2000 --output out.csv";

#[test]
fn a_file_has_the_content_of_standard_output() {
    for line in ["pairs discs:2000", "pairs discs:2000 --count", "generate tail3:100"] {
        let folder = Folder::new();
        let expected = folder.run(line).text().to_owned();
        let run = folder.run(&format!("{line} --output out.csv"));
        assert_eq!(run.text(), "");
        assert_eq!(folder.read("out.csv"), expected);
        assert_eq!(folder.names(), ["out.csv"], "no other file remains");
    }
}

#[test]
fn an_earlier_file_is_replaced_and_kept_on_errors() {
    let folder = Folder::with_scene("x,y,r\n0,0,1\n0,0\n").with("out.csv", "earlier");
    let run = folder.run("pairs scene.csv --output out.csv");
    assert_eq!((run.status, run.lines().len()), (2, 1));
    assert_eq!(folder.read("out.csv"), "earlier");
    assert_eq!(folder.names(), ["out.csv", "scene.csv"]);
    assert_eq!(folder.run(PAIRS).status, 0);
    assert_eq!(folder.read("out.csv"), folder.run("pairs discs:2000").text());
}

#[test]
fn a_scene_is_not_replaced_by_its_pairs() {
    const SCENE: &str = "x,y,r\n0,0,1\n1,1,1\n";
    let folder = Folder::with_scene(SCENE);
    fs::create_dir(folder.path("sub")).unwrap();
    for line in ["pairs scene.csv", "pairs scene.csv --count", "tune scene.csv --rounds 1"] {
        for output in ["scene.csv", "./scene.csv", "sub/../scene.csv"] {
            let run = folder.run(&format!("{line} --output {output}"));
            run.assert_error(&format!("--output: {output} is an input file and would be lost"));
        }
    }
    assert_eq!(folder.read("scene.csv"), SCENE);
    assert_eq!(folder.names(), ["scene.csv", "sub"]);
}

#[test]
fn paths_that_cannot_be_written_are_errors() {
    let folder = Folder::new().with("file", "");
    fs::create_dir(folder.path("folder")).unwrap();
    for command in ["pairs discs:100", "generate discs:100"] {
        for (output, message) in [
            ("missing/out.csv", "missing/out.csv: no such file or folder"),
            ("file/out.csv", "file/out.csv: a part of the path is not a folder"),
            ("folder", "folder: is a folder"),
            ("folder/", "folder/: is a folder"),
        ] {
            folder.run(&format!("{command} --output {output}")).assert_error(message);
        }
    }
    assert_eq!(folder.names(), ["file", "folder"]);
}

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::io::{BufRead, BufReader};
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    use std::process::Command;

    use super::*;

    fn mode(folder: &Folder, name: &str) -> u32 {
        fs::metadata(folder.path(name)).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn permissions_are_the_default_or_those_of_the_replaced_file() {
        let folder = Folder::new().with("any", "");
        folder.run(PAIRS);
        assert_eq!(mode(&folder, "out.csv"), mode(&folder, "any"));
        fs::set_permissions(folder.path("out.csv"), PermissionsExt::from_mode(0o640)).unwrap();
        folder.run(PAIRS);
        assert_eq!(mode(&folder, "out.csv"), 0o640);
    }

    #[test]
    fn the_target_of_a_link_is_replaced() {
        let folder = Folder::new().with("real.csv", "earlier");
        symlink("real.csv", folder.path("out.csv")).unwrap();
        assert_eq!(folder.run(PAIRS).text(), "");
        assert!(folder.path("out.csv").is_symlink());
        assert_eq!(folder.read("real.csv"), folder.run("pairs discs:2000").text());
    }

    #[test]
    fn a_scene_is_not_replaced_under_another_name() {
        const SCENE: &str = "x,y,r\n0,0,1\n1,1,1\n";
        let folder = Folder::with_scene(SCENE);
        symlink("scene.csv", folder.path("link.csv")).unwrap();
        fs::hard_link(folder.path("scene.csv"), folder.path("hard.csv")).unwrap();
        for line in [
            "pairs scene.csv --output link.csv",
            "pairs link.csv --output scene.csv",
            "pairs scene.csv --output hard.csv",
        ] {
            let output = line.rsplit(' ').next().unwrap();
            folder
                .run(line)
                .assert_error(&format!("--output: {output} is an input file and would be lost"));
        }
        let program = Command::new(env!("CARGO_BIN_EXE_hexphase"))
            .args(["pairs", "-", "--output", "scene.csv"])
            .current_dir(folder.path(""))
            .stdin(File::open(folder.path("scene.csv")).unwrap())
            .output()
            .unwrap();
        let message = "hexphase: --output: scene.csv is an input file and would be lost\n";
        assert_eq!(String::from_utf8(program.stderr).unwrap(), message);
        assert_eq!(program.status.code(), Some(2));
        assert_eq!(folder.read("scene.csv"), SCENE);
        assert!(folder.path("link.csv").is_symlink());
        // A device is written to, not replaced.
        assert_eq!(folder.run("pairs /dev/null --output /dev/null").lines().len(), 1);
    }

    #[test]
    fn pipes_are_written_to_directly() {
        let folder = Folder::new();
        let made = Command::new("mkfifo").arg(folder.path("out.csv")).status();
        assert!(made.expect("mkfifo").success());
        let mut child = folder.start(&PAIRS.split(' ').collect::<Vec<_>>());
        let pipe = File::options().read(true).write(true).open(folder.path("out.csv")).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0));
        assert!(fs::metadata(folder.path("out.csv")).unwrap().file_type().is_fifo());
        let mut out = BufReader::new(pipe);
        for line in folder.run("pairs discs:2000").text().lines() {
            let mut piped = String::new();
            out.read_line(&mut piped).unwrap();
            assert_eq!(piped.trim_end(), line);
        }
        assert_eq!(folder.names(), ["out.csv"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error() {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let program = Command::new(env!("CARGO_BIN_EXE_hexphase"))
            .args(["pairs", "discs:2000"])
            .stdout(full)
            .output()
            .unwrap();
        let err = String::from_utf8(program.stderr).unwrap();
        assert_eq!((program.status.code(), &*err), (Some(2), "hexphase: stdout: no space left\n"));
    }
}
