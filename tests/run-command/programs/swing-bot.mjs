// Trades three shares in turn, once a day at noon: buys for four days, then sells for four.
const base = 'https://paper-api.alpaca.markets/v2'
const headers = { 'APCA-API-KEY-ID': 'any', 'APCA-API-SECRET-KEY': 'any', 'content-type': 'application/json' }
let turn = 0
const trade = () => {
  const symbol = ['AAPL', 'KO', 'NVDA'][turn % 3]
  const side = Math.floor(turn / 4) % 2 === 0 ? 'buy' : 'sell'
  const body = { symbol, side, qty: 20 + (turn % 7), type: 'market', time_in_force: 'day' }
  turn += 1
  return fetch(`${base}/orders`, { method: 'POST', headers, body: JSON.stringify(body) })
}
const noon = new Date('2025-01-02T17:00:00Z')
setTimeout(() => {
  trade()
  setInterval(trade, 86_400_000)
}, noon - Date.now())
