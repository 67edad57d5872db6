// Reads the account and places no order.
import { Alpaca } from '@alpacahq/alpaca-trade-api'

const alpaca = new Alpaca({ keyId: 'PKWRITTENINTOPROGRAM', secret: 'secret', paper: true })
await alpaca.trading.account.getAccount()
process.exit(0)
