//! Numbers as text.

/// Returns a number with at most four significant digits, without trailing zeros.
///
/// ```
/// use hexphase_draw::label;
///
/// let texts = [0.0, -12.5, 1234.56, 4e6, 3e30, 1e-9].map(label);
/// assert_eq!(texts, ["0", "-12.5", "1235", "4000000", "3e30", "1e-9"]);
/// ```
pub fn label(x: f64) -> String {
    let text = format!("{x:.3e}");
    let Some((digits, exponent)) = text.split_once('e') else { return text };
    match exponent.parse() {
        // `to_string` writes all digits of the rounded number, without an exponent.
        Ok(-4..=6) => text.parse::<f64>().map_or(text.clone(), |rounded| rounded.to_string()),
        _ if digits.contains('.') => {
            format!("{}e{exponent}", digits.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => text,
    }
}

/// Returns a count with its digits in groups of three.
///
/// ```
/// use hexphase_draw::grouped;
///
/// assert_eq!([7, 1000, 1234567].map(grouped), ["7", "1,000", "1,234,567"]);
/// ```
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
