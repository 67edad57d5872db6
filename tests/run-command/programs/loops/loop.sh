# Reads the clock of the broker every minute, and buys once. It uses curl and knows nothing of Quipu.
call() {
  path=$1
  shift
  curl -sS -H 'APCA-API-KEY-ID: PKTEST' -H 'APCA-API-SECRET-KEY: secret' -H 'Content-Type: application/json' "$@" "https://paper-api.alpaca.markets$path"
}
call /v2/orders -d '{"symbol":"SPY","qty":"1","side":"buy","type":"market","time_in_force":"day"}'
while true; do
  call /v2/clock
  sleep 60
done
