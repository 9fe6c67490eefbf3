//! Bulk TCP and UDP between the two ends (being written).
