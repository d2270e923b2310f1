#!/bin/sh
# Every morning: fetch, track, check, publish. A source that fails and a list that is refused keep no other
# back: what came is published, with the refusal, and the run ends with a failure. A step that cannot do its
# work stops it, and what is served stays as it was.
set -eu

LISTS=${LISTS:-lists}                     # git repository of lists as received
WORK=${WORK:-var/daily/movements.db}       # grows day by day; its tracking state lies beside it
SERVED=${SERVED:-data/movements.db}       # what the service serves
report=$(dirname "$WORK")/report.json
mkdir -p "$(dirname "$WORK")" "$(dirname "$SERVED")"

failed=0
datasette mouvements fetch "$LISTS" ${SOURCES:+--sources "$SOURCES"} || failed=1

# Status 1 says too that what was written calls for a look: a newest list that is refused, many changes held.
[ -f "$WORK" ] || datasette mouvements build "$WORK" --lists "$LISTS" --source suivi || [ -f "$WORK" ]
datasette mouvements track "$WORK" --lists "$LISTS" ${MEMBERS:+--members "$MEMBERS"} \
  ${CORRECTIONS:+--corrections "$CORRECTIONS"} --json >"$report" || failed=1
[ -s "$report" ] || exit 1                # nothing was written, and it has said why
python3 -c 'import json, sys
print("{added} added, {withdrawn} withdrawn, {held} held".format(**json.load(open(sys.argv[1]))))' "$report"

datasette mouvements check "$WORK"
next=$(dirname "$SERVED")/.next
rm -f "$next"
datasette mouvements copy "$WORK" "$next"
chmod 644 "$next"
mv -f "$next" "$SERVED"                   # at once: a running service adopts it by itself
exit $failed
