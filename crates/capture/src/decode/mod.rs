//! From frames to TCP segments: what lies below TCP is taken off.
