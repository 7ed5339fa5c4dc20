#!/bin/sh
# Mirrors pets and categories into a JSON file, with curl and jq:
# PETSTORE_API_KEY=pets_live_… PETSTORE_BASE_URL=http://127.0.0.1:8080/v1 sh mirror.sh
set -eu
file=${MIRROR:-mirror.json}
types=pet.created,pet.updated,pet.deleted,category.created,category.updated,category.deleted

# Sends a request until it is answered with 200 or 410.
get() {
  while :; do
    status=$(curl -s --max-time 60 -o "$file.body" -D "$file.head" -w '%{http_code}' \
      -H "Authorization: Bearer $PETSTORE_API_KEY" -H "Prefer: ${2:-}" "$1") || status=000
    case $status in
      200 | 410) return ;;
      000) seconds=5 ;;
      429 | 5??) seconds=$(header retry-after) ;;
      *) cat "$file.body" >&2 && exit 1 ;;
    esac
    echo "waiting ${seconds:=5} s"
    sleep "$seconds"
  done
}

header() { tr -d '\r' <"$file.head" | awk -v name="$1:" 'tolower($1) == name { $1 = ""; print substr($0, 2) }'; }
next() { header link | sed -n 's/.*<\([^>]*\)>; rel="next".*/\1/p'; }

# Replaces the file as a whole: the copy and its position stay together.
save() {
  cat >"$file.new"
  sync "$file.new"
  mv "$file.new" "$file"
}

copy_all() {
  position=
  : >"$file.all"
  for collection in pets categories; do
    url="$PETSTORE_BASE_URL/$collection?limit=100"
    while [ -n "$url" ]; do
      get "$url"
      position=${position:-$(header petstore-position)}
      jq -c ".[] | {key: \"$collection/\(.id)\", value: {version: 0, data: .}}" "$file.body" >>"$file.all"
      url=$(next)
    done
  done
  jq -s --arg position "$position" '{$position, copy: from_entries}' "$file.all" | save
  echo "copied $(wc -l <"$file.all")"
}

[ -s "$file" ] || copy_all
while :; do
  get "$PETSTORE_BASE_URL/events?types=$types&limit=100&after=$(jq -r .position "$file")" wait=30
  if [ "$status" = 410 ]; then
    copy_all
    continue
  fi
  jq --arg position "$(next | sed 's/.*[?&]after=\([0-9]*\).*/\1/')" --slurpfile page "$file.body" '
    reduce $page[0][] as $event (.;
      if (.copy[$event.subject].version // -1) >= $event.version then .
      else .copy[$event.subject] = ($event | {version, data: (if .type | endswith(".deleted") then null else .data end)}) end
    ) | .position = $position' "$file" | save
  jq -r '.[] | "\(.type) \(.subject) \(.version)"' "$file.body"
done
