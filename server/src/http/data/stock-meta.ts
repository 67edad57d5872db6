import type { Handlers } from '@quipu/contract'
import type { Context } from '../context.ts'
import { exchanges, quoteConditions, tradeConditions } from './stock-meta.table.ts'

export const stockMetaHandlers: Handlers<Context, 'stockMetaConditions' | 'stockMetaExchanges'> = {
  stockMetaConditions: ({ params: { ticktype }, query: { tape } }) =>
    (ticktype === 'trade' ? tradeConditions : quoteConditions)[tape],
  stockMetaExchanges: () => exchanges,
}
