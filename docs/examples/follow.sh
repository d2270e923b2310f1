#!/bin/sh
# Follow the movements of another machine: asks whether its file has changed, and takes it if it is sound.
#   follow.sh https://mouvements.example.org key.header data/movements.db
set -eu
address=$1/movements.db header=$2 served=$3
new=$served.new

rm -f "$new" "$new.etag"
curl --fail --silent --show-error --max-time 3600 --header "@$header" \
    --etag-compare "$served.etag" --etag-save "$new.etag" --output "$new" "$address"
if [ -s "$new" ]; then # unchanged, it was not written
    datasette mouvements check "$new"
    mv "$new" "$served"
    mv "$new.etag" "$served.etag"
fi
