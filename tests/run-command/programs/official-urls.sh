#!/bin/sh
# A program with curl. It knows nothing of Quipu.
set -e
key='APCA-API-KEY-ID: PKWRITTENINTOPROGRAM'
secret='APCA-API-SECRET-KEY: secret-of-the-program'
cash=$(curl -sS --fail -H "$key" -H "$secret" https://paper-api.alpaca.markets/v2/account | sed 's/.*"cash":"\([0-9.]*\)".*/\1/')
symbol=$(curl -sS --fail -H "$key" -H "$secret" --json '{"symbol":"AAPL","qty":"1","side":"buy","type":"market","time_in_force":"day"}' \
  https://paper-api.alpaca.markets/v2/orders | sed 's/.*"symbol":"\([A-Z]*\)".*/\1/')
curl -sS --fail -o /dev/null -H "$key" -H "$secret" https://data.alpaca.markets/v2/stocks/AAPL/trades/latest
echo "{\"cash\":\"$cash\",\"order\":\"$symbol\"}"
