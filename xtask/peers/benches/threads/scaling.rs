//! The table of times and speed-ups by number of threads.

use core::fmt::Write as _;

use peers::Row;

/// Returns a line for each scene and subject: for each number of threads the milliseconds, and the
/// speed-up over one thread.
pub(super) fn table(rows: &[Row]) -> String {
    let mut counts: Vec<usize> = rows.iter().map(|row| row.threads).collect();
    counts.sort_unstable();
    counts.dedup();
    let mut text = String::new();
    let mut lines: Vec<[&str; 2]> = Vec::new();
    for row in rows {
        let line = [row.scene.as_str(), row.subject.as_str()];
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    if lines.is_empty() {
        return text;
    }
    text.push_str("milliseconds by number of threads, and the speed-up over one thread\n\n");
    let _ = write!(text, "{:<22} {:<35}", "scene", "subject");
    for count in &counts {
        let _ = write!(text, " {count:>11}      ");
    }
    text.push('\n');
    for [scene, subject] in lines {
        let time = |count: usize| {
            let of = |row: &&Row| row.scene == scene && row.subject == subject;
            let row = rows.iter().filter(of).find(|row| row.threads == count)?;
            Some(row.ns * row.n as f64 * 1e-6)
        };
        let _ = write!(text, "{scene:<22} {subject:<35}");
        for &count in &counts {
            let _ = match (time(count), time(1)) {
                (Some(now), Some(one)) => write!(text, " {now:>11.3} {:>5.2}", one / now),
                (Some(now), None) => write!(text, " {now:>11.3}      "),
                (None, _) => write!(text, " {:>11}      ", ""),
            };
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}
