// Buys a share with submitAndWait of the official SDK 4. It knows nothing of Quipu.
import { Alpaca } from '@alpacahq/alpaca-trade-api'

const alpaca = new Alpaca({ keyId: 'PKWRITTENINTOPROGRAM', secret: 'secret', paper: true, timeoutMs: 3000 })
const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', timeInForce: 'day' }
const { status } = await alpaca.trading.submitAndWait({
  ...order,
  clientOrderId: `example-${crypto.randomUUID()}`,
})
process.exit(status === 'filled' ? 0 : 1)
