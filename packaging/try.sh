#!/bin/sh
# Tries what is given to others, each in an empty root: try.sh static PROGRAM | deb FILE | rpm FILE. Wants root, or user namespaces.
set -eu
kind=${1:?usage: try.sh static|deb|rpm FILE} file=$(realpath "${2:?usage: try.sh static|deb|rpm FILE}")
here=$(dirname "$(realpath "$0")")
if [ "$(id -u)" != 0 ]; then
  exec unshare --user --map-root-user "$0" "$kind" "$file"
fi
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
fail() { echo "try.sh: $*" >&2; exit 1; }

# The program runs where no library is, and resolves names there.
runs() {
  mkdir -p "$root/etc"
  echo '127.0.0.7 far.slowpath.invalid' > "$root/etc/hosts"
  chroot "$root" "$1" --version
  said=$(chroot "$root" "$1" path far.slowpath.invalid 2>&1 || true)
  case $said in *127.0.0.7*) ;; *) fail "a name of /etc/hosts is not resolved: $said" ;; esac
  chroot "$root" "$1" explain MTU-001 > /dev/null
}

# The far end serves, with all rights given up, and a client measures with it. The port is one of this machine's.
serves() {
  mkdir -p "$root/tmp"
  chroot "$root" "$1" serve --new-token > "$root/token"
  chmod 600 "$root/token"
  chroot "$root" "$1" serve --listen 127.0.0.1:47820 --token-file /token > "$root/served" 2>&1 &
  server=$!
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    said=$(chroot "$root" "$1" throughput 127.0.0.1 -p 47820 --token-file /token -t 0.5 2>&1) && break
    sleep 0.5
  done
  kill "$server" && wait "$server" || true
  case $said in *'bit/s mean'*) ;; *) fail "nothing is measured with the far end: $said; $(cat "$root/served")" ;; esac
}

case $kind in
static)
  bytes=$(stat -c %s "$file")
  [ "$bytes" -le 21000000 ] || fail "$file has $bytes bytes, and 21,000,000 are allowed"
  cp "$file" "$root/slowpath"
  runs /slowpath
  serves /slowpath
  echo "try.sh: $bytes bytes, runs without any library, and serves"
  exit 0
  ;;
deb)
  command -v dpkg > /dev/null || { echo 'SKIPPED deb: dpkg is not installed'; exit 0; }
  mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
  : > "$root/var/lib/dpkg/status"
  manage() { dpkg --root="$root" --force-not-root --force-script-chrootless --log=/dev/null "$@" > /dev/null; }
  manage --install "$file"
  ;;
rpm)
  command -v rpm > /dev/null || { echo 'SKIPPED rpm: rpm is not installed'; exit 0; }
  rpm --root "$root" --initdb
  manage() { rpm --root "$root" --nodeps --noscripts "$@"; }
  manage --install --ignorearch "$file"
  ;;
*) fail "no such kind: $kind" ;;
esac

for part in usr/bin/slowpath usr/share/man/man1/slowpath-diagnose.1* usr/share/bash-completion/completions/slowpath \
  usr/lib/systemd/system/slowpath.service usr/share/doc/slowpath/THIRD-PARTY-LICENSES; do
  ls "$root"/$part > /dev/null || fail "the package has no $part"
done
cmp -s "$root/usr/lib/systemd/system/slowpath.service" "$here/slowpath.service" || fail 'another unit'
runs /usr/bin/slowpath
case $kind in deb) manage --purge slowpath ;; rpm) manage --erase slowpath ;; esac
# An .rpm owns no directory: its script removes that of the documents, and no script runs in an empty root.
left=$(find "$root" -iname '*slowpath*' ! -type d)
[ -z "$left" ] || fail "left behind: $left"
echo "try.sh: $(basename "$file") is installed, runs, and is removed without a trace"
