//! `hexphase fleet --render`: pictures of the game of ships.

use std::fs;

use crate::run::Folder;

const GAME: &str = "fleet --scene dense --ships 40 --bullets 20 --seconds 1 --peers 1";

#[test]
fn a_game_is_drawn_as_frames_and_as_one_animation() {
    let folder = Folder::new();
    for name in ["first", "second"] {
        let played = folder.run(&format!("{GAME} --render pictures/{name} --frames 3"));
        assert!(played.text().contains("hash "), "{}", played.text());
    }
    let bytes = |name: &str| fs::read(folder.path(&format!("pictures/{name}"))).unwrap();
    for file in ["0000.png", "0001.png", "0002.png", "fleet.png"] {
        assert_eq!(bytes(&format!("first/{file}")), bytes(&format!("second/{file}")), "{file}");
    }
    let entries = fs::read_dir(folder.path("pictures/first")).unwrap();
    assert_eq!(entries.count(), 4);
    assert_ne!(bytes("first/0000.png"), bytes("first/0002.png"), "the ships move");
    // The header of an animation begins with the number of pictures and that of repetitions: 0 is
    // endless.
    let animation = bytes("first/fleet.png");
    let control = animation.windows(4).position(|name| name == b"acTL").expect("an animation") + 4;
    assert_eq!(animation[control..control + 8], [0, 0, 0, 3, 0, 0, 0, 0]);
}

#[test]
fn a_file_is_not_a_folder_of_pictures() {
    let folder = Folder::new().with("file", "content");
    let run = folder.run(&format!("{GAME} --render file/pictures --frames 1"));
    run.assert_error("file/pictures: a part of the path is not a folder");
    assert_eq!(folder.read("file"), "content");
}
