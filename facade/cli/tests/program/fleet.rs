//! `hexphase fleet`: the hash depends only on the inputs, and the report has all its parts.

use crate::run::run;

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
