#!/bin/sh
# What the changelog says of one version, as the page of its release: release-notes.sh VERSION [CHANGELOG]
# VERSION may be "Unreleased". Without such a section it is an error: a release page is never empty.
set -eu
version=${1:?usage: release-notes.sh VERSION [CHANGELOG]}
changelog=${2:-"$(dirname "$0")/../CHANGELOG.md"}
awk -v head="## [$version]" '
  index($0, "## [") == 1 { inside = index($0, head) == 1; next }
  inside { lines[++n] = $0; if ($0 != "") last = n }
  END {
    if (!last) exit 1
    for (i = 1; i <= last; i++) if (i > 1 || lines[i] != "") print lines[i]
  }' "$changelog" || { echo "release-notes.sh: $changelog has no section [$version]" >&2; exit 1; }
