//! Label stack entries, which every tool prints its own way.

use evidence::MplsLabel;

/// A label takes 20 bits (RFC 3032).
const LABELS: u64 = 1 << 20;

/// An entry of what was printed; `None` where a field is missing or out of its range. Not all tools print the TTL.
pub(crate) fn entry(
    label: Option<u64>,
    class: Option<u64>,
    bottom: Option<u64>,
    ttl: Option<u64>,
) -> Option<MplsLabel> {
    Some(MplsLabel {
        label: u32::try_from(label.filter(|label| *label < LABELS)?).ok()?,
        traffic_class: u8::try_from(class?).ok().filter(|class| *class < 8)?,
        bottom: bottom? == 1,
        ttl: ttl.map(u8::try_from).transpose().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        let all = Some(1);
        assert!(entry(Some(1_048_575), Some(7), all, Some(255)).is_some());
        assert_eq!(entry(Some(1_048_576), all, all, all), None);
        assert_eq!(entry(all, Some(8), all, all), None);
        assert_eq!(entry(all, all, all, Some(256)), None);
        assert_eq!(entry(all, None, all, all), None);
        assert_eq!(entry(all, all, all, None).map(|entry| entry.ttl), Some(None));
    }
}
