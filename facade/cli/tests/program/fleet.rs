//! `hexphase fleet`: the hash depends only on the inputs, the report has all its parts, and
//! pictures are drawn.

use std::fs;

use crate::run::{Folder, run};

/// The hash does not depend on delays, losses and rollback, nor on the format of the report.
#[test]
fn the_network_does_not_change_the_hash() {
    let game = "fleet --ships 200 --bullets 100 --seconds 1 --peers 3";
    let json = run(&format!("{game} --latency 0 --loss 0 --rollback 0 --json"));
    assert_eq!(json.status, 0, "{}", json.err);
    let (_, rest) = json.text().split_once("\"hash\":\"").expect("a hash");
    let (hash, rest) = rest.split_once('"').expect("the end of the hash");
    assert_eq!(hash.len(), 16, "{hash}");
    for part in
        ["\"compared\":100,", "\"packets_lost\":0,", "\"ships_touching\":", "\"share_rollback\":0."]
    {
        assert!(rest.contains(part), "{part}: {rest}");
    }
    let table = run(&format!("{game} --latency 200 --loss 20 --rollback 3"));
    let hash = format!("hash {hash}, equal on all peers before each of 100 ticks");
    for part in
        ["morton, scalar, 2 thread(s) ", " ships touch another ship\n", "no rollback: ", &*hash]
    {
        assert!(table.text().contains(part), "{part}: {}", table.text());
    }
}

const GAME: &str = "fleet --scene dense --ships 40 --bullets 20 --seconds 1 --peers 1";

#[test]
fn a_game_is_drawn_as_pictures() {
    let folder = Folder::new();
    for name in ["first", "second"] {
        let played = folder.run(&format!("{GAME} --render pictures/{name} --frames 3"));
        assert!(played.text().contains("hash "), "{}", played.text());
    }
    let bytes = |name: &str| fs::read(folder.path(&format!("pictures/{name}"))).unwrap();
    for file in ["0000.png", "0001.png", "0002.png"] {
        assert_eq!(bytes(&format!("first/{file}")), bytes(&format!("second/{file}")), "{file}");
    }
    assert_eq!(fs::read_dir(folder.path("pictures/first")).unwrap().count(), 3);
    assert_ne!(bytes("first/0000.png"), bytes("first/0002.png"), "the ships move");
}

#[test]
fn a_file_is_not_a_folder_of_pictures() {
    let folder = Folder::new().with("file", "content");
    let run = folder.run(&format!("{GAME} --render file/pictures --frames 1"));
    run.assert_error("file/pictures: a part of the path is not a folder");
    assert_eq!(folder.read("file"), "content");
}
