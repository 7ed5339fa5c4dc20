#!/bin/sh
# Verifies a webhook of Petstore, with openssl alone, for a server that runs a program for each request (CGI and others):
# WEBHOOK_SECRET=whsec_… sh verify.sh "$webhook_id" "$webhook_timestamp" "$webhook_signature" < body
set -eu
[ $(($(date +%s) - $2)) -le 300 ] && [ $(($2 - $(date +%s))) -le 300 ] || exit 1
key=$(printf %s "${WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
expected=$({ printf '%s.%s.' "$1" "$2"; cat; } | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)
for one in $3; do [ "$one" = "v1,$expected" ] && exit 0; done
exit 1
