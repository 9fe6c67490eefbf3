//! The far end: `slowpath serve`, and the client of its control channel (being written).
