// A program that places orders of each outcome: filled, refused twice, and open. It knows nothing of Quipu.
const headers = {
  'APCA-API-KEY-ID': 'PKWRITTENINTOPROGRAM',
  'APCA-API-SECRET-KEY': 'secret-of-the-program',
  'Content-Type': 'application/json',
}
const usual = { symbol: 'AAPL', qty: '10', side: 'buy', type: 'market', time_in_force: 'day' }

const order = (fields) =>
  fetch('https://paper-api.alpaca.markets/v2/orders', {
    method: 'POST',
    headers,
    body: JSON.stringify({ ...usual, ...fields }),
  }).then((response) => response.json())

const { id } = await order({})
await order({ type: 'limit', limit_price: '10' })
for (let attempt = 0; attempt < 2; attempt++) await order({ qty: '100000000' })
const read = () =>
  fetch(`https://paper-api.alpaca.markets/v2/orders/${id}`, { headers }).then((r) => r.json())
while ((await read()).status !== 'filled') await new Promise((resolve) => setTimeout(resolve, 50))
