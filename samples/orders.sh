#!/bin/sh
# Orders five available pets; approves three of the orders, delivers one and cancels one.
# Usage: KEY=pets_live_… sh samples/orders.sh [http://127.0.0.1:8080/v1]
set -eu
base=${1:-http://127.0.0.1:8080/v1}
: "${KEY:?is missing. Usage: KEY=pets_live_… sh samples/orders.sh [http://127.0.0.1:8080/v1]}"

send() { curl -sSf -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" "$@"; echo; }
id() { sed 's/.*"id":\([0-9]*\).*/\1/'; }
change() { send -X PATCH "$base/store/orders/$1" -d "{\"status\":\"$2\"}"; }

available=$(send "$base/pets?status=available&limit=5")
pets=$(echo "$available" | grep -o '"id":[0-9]*' | cut -d: -f2)
number=0
for pet in $pets; do
  number=$((number + 1))
  order=$(send "$base/store/orders" -d "{\"petId\":$pet}" | id)
  case $number in
    1 | 2) change "$order" approved ;;
    3) change "$order" approved > /dev/null && change "$order" delivered ;;
    4) change "$order" cancelled ;;
    *) send "$base/store/orders/$order" ;;
  esac
done
send "$base/store/inventory"
