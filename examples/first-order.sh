#!/bin/sh
# eval "$(npm run -s quipu -- env)" && sh examples/first-order.sh
# A first order with curl: place it, wait until it is filled, and print the position.
set -eu
: "${APCA_API_BASE_URL:?first: eval \"\$(npm run -s quipu -- env)\"}"

call() {
  curl -sS --fail-with-body -H "APCA-API-KEY-ID: $APCA_API_KEY_ID" -H "APCA-API-SECRET-KEY: $APCA_API_SECRET_KEY" "$@"
}

id=first-$(date +%s)-$$
call "$APCA_API_BASE_URL/v2/orders" -o /dev/null \
  -d '{"symbol":"AAPL","qty":2,"side":"buy","type":"market","time_in_force":"day","client_order_id":"'"$id"'"}'
until call "$APCA_API_BASE_URL/v2/orders:by_client_order_id?client_order_id=$id" | grep -q '"status":"filled"'; do
  sleep 0.1
done
call "$APCA_API_BASE_URL/v2/positions/AAPL"
echo
