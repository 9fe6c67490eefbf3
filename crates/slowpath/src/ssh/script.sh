{
PATH=$PATH:/usr/local/bin:$HOME/.local/bin:$HOME/.cargo/bin
own=$(command -v slowpath) && "$own" serve --help 2>/dev/null | grep -q -e --stdio && version=$("$own" --version) || version=
printf 'slowpath-greeting|%s|%s|%s|%s\n' "$(uname -s)" "$(uname -m)" "$version" "$SSH_CONNECTION"
failed() { printf 'slowpath-failed|%s\n' "$*"; exit 1; }
read -r what size || exit 1
case $what in
installed)
  exec "$own" serve --stdio --json --quiet
  ;;
copied)
  umask 077
  file=
  for base in "${TMPDIR:-/tmp}" "${XDG_RUNTIME_DIR:-}" "$HOME" /dev/shm; do
    [ -n "$base" ] && dir=$(mktemp -d "$base/slowpath.XXXXXX" 2>/dev/null) || continue
    file=$dir/slowpath
    printf '#!/bin/sh\nexit 0\n' >"$file" && chmod 700 "$file" && "$file" 2>/dev/null && break
    rm -rf "$dir"
    file=
  done
  [ -n "$file" ] || failed 'no directory there takes a program that may be run (tried TMPDIR, XDG_RUNTIME_DIR, HOME, /dev/shm)'
  # The file has no name any more before it has content: whatever is killed, nothing is left.
  exec 8>"$file" 9<"$file"
  rm -rf "$dir"
  head -c "$size" >&8
  exec 8>&-
  [ "$(wc -c </proc/self/fd/9)" -eq "$size" ] || failed 'the copy did not arrive whole: is there room on the disk?'
  why=$(/proc/self/fd/9 --version 2>&1 >/dev/null) || failed "the copy does not run there: $why"
  echo slowpath-copied
  exec /proc/self/fd/9 serve --stdio --json --quiet
  ;;
esac
}
