//! The published schema of `--json` is the one that the types have.

use std::path::Path;

#[test]
fn the_published_schema_is_current() {
    let published = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/verdict.schema.json");
    let current = evidence::verdict_json_schema();
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(&published, &current).expect("docs/ is writable");
    }
    let text = std::fs::read_to_string(&published).unwrap_or_default();
    assert!(
        text == current,
        "docs/verdict.schema.json is out of date: write it with `UPDATE_SCHEMA=1 cargo test -p report --test schema`; \
         if a field's meaning changed, raise VERDICT_SCHEMA_VERSION"
    );
}
