import type { Handlers, OperationName } from '@quipu/contract'
import { accountHandlers } from './account.ts'
import { assetHandlers } from './assets.ts'
import type { Context } from './context.ts'
import { emptyDataHandlers } from './empty-data.ts'
import { marketHandlers } from './market.ts'
import { orderHandlers } from './orders.ts'
import { positionHandlers } from './positions.ts'
import { stockMetaHandlers } from './stock-meta.ts'
import { systemHandlers } from './system.ts'

/** The handlers of trading, market data and the process itself. */
const here = {
  ...accountHandlers,
  ...orderHandlers,
  ...assetHandlers,
  ...positionHandlers,
  ...marketHandlers,
  ...stockMetaHandlers,
  ...emptyDataHandlers,
  ...systemHandlers,
}

/** The operations whose handlers must be brought: one left out does not compile. */
export type OtherNames = Exclude<OperationName, keyof typeof here>

/** One handler for each operation of the contract. */
export const makeHandlers = (others: Handlers<Context, OtherNames>): Handlers<Context> => ({
  ...others,
  ...here,
})
