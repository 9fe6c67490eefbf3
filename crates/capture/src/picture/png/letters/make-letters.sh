#!/bin/sh -eu
# Takes the letters of the pictures out of the DejaVu fonts: `make-letters.sh DIRECTORY-OF-DejaVuSans.ttf`. Needs fonttools.
here=$(dirname "$0")
letters="U+20-7E,U+B5,U+B7,U+2013,U+2014,U+2026,U+2192"
for pair in DejaVuSans:sans DejaVuSans-Bold:sans-bold; do
  pyftsubset "$1/${pair%:*}.ttf" --unicodes="$letters" --no-hinting --layout-features= \
    --drop-tables+=GSUB,GPOS,GDEF,kern --output-file="$here/${pair#*:}.ttf"
done
