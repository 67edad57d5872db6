// Buys two shares of AAPL once a day, and never ends. It asks the broker before it acts, and names each order after its day.
const base = 'https://paper-api.alpaca.markets/v2'
const headers = { 'APCA-API-KEY-ID': 'any', 'APCA-API-SECRET-KEY': 'any', 'content-type': 'application/json' }

async function call(path, init) {
  const response = await fetch(base + path, { ...init, headers, signal: AbortSignal.timeout(3000) })
  return { status: response.status, body: await response.json() }
}

async function look() {
  const { body: clock } = await call('/clock')
  if (!clock.is_open) return
  const id = `steady-${clock.timestamp.slice(0, 10)}`
  const { status } = await call(`/orders:by_client_order_id?client_order_id=${id}`)
  if (status !== 404) return
  const order = {
    symbol: 'AAPL',
    qty: '2',
    side: 'buy',
    type: 'market',
    time_in_force: 'day',
    client_order_id: id,
  }
  await call('/orders', { method: 'POST', body: JSON.stringify(order) })
}

// A look that fails is repeated half an hour later.
const again = () => look().catch(() => undefined)
await again()
setInterval(again, 1_800_000)
