//! `hexphase fleet`: the hash does not depend on the machine; wrong arguments are errors.

use crate::run::run;

#[test]
fn all_peers_have_the_golden_hash() {
    let line = "fleet --ships 200 --bullets 100 --seconds 1 --peers 3 --rollback 3";
    let json = run(&format!("{line} --json"));
    assert_eq!(json.status, 0, "{}", json.err);
    for part in ["\"hash\":\"0000000000000000\"", "\"compared\":100,", "\"share_rollback\":0."] {
        assert!(json.text().contains(part), "{part}: {}", json.text());
    }
    let table = run(line);
    for part in ["morton, scalar, 2 thread(s) ", "no rollback: ", "before each of 100 ticks"] {
        assert!(table.text().contains(part), "{part}: {}", table.text());
    }
}
