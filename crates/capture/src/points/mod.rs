//! What several captures saw of one connection.
