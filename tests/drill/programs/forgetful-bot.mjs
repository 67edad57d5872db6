// Buys two shares of AAPL when it starts, and never ends. It remembers nothing, and an error ends it.
const base = 'https://paper-api.alpaca.markets/v2'
const headers = { 'APCA-API-KEY-ID': 'any', 'APCA-API-SECRET-KEY': 'any', 'content-type': 'application/json' }
const buy = async () => {
  const order = { symbol: 'AAPL', qty: '2', side: 'buy', type: 'market', time_in_force: 'day' }
  const response = await fetch(`${base}/orders`, { method: 'POST', headers, body: JSON.stringify(order) })
  if (!response.ok) throw new Error(`no order: ${response.status}`)
}
await buy()
setInterval(buy, 4 * 3_600_000)
