// A program with ccxt. It knows nothing of Quipu.
import { alpaca } from 'ccxt'

const exchange = new alpaca({ apiKey: 'PKWRITTENINTOPROGRAM', secret: 'secret-of-the-program' })
exchange.setSandboxMode(true)
const balance = await exchange.fetchBalance()
const order = await exchange.createOrder('BTC/USD', 'market', 'buy', 0.01)
console.log(JSON.stringify({ cash: String(balance.USD.total), order: order.symbol }))
