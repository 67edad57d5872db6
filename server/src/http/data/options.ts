import type { Handlers } from '@quipu/contract'
import type { Context } from '../context.ts'

type Names =
  | 'optionBars'
  | 'optionTrades'
  | 'optionLatestTrades'
  | 'optionLatestQuotes'
  | 'optionSnapshots'
  | 'optionChain'
  | 'optionMetaConditions'
  | 'optionMetaExchanges'

const noPage = { next_page_token: null } as const

/** Options are not traded: every response is empty, in the shape that clients expect. */
export const optionDataHandlers: Handlers<Context, Names> = {
  optionBars: () => ({ bars: {}, ...noPage }),
  optionTrades: () => ({ trades: {}, ...noPage }),
  optionLatestTrades: () => ({ trades: {} }),
  optionLatestQuotes: () => ({ quotes: {} }),
  optionSnapshots: () => ({ snapshots: {}, ...noPage }),
  optionChain: () => ({ snapshots: {}, ...noPage }),
  optionMetaConditions: () => ({}),
  optionMetaExchanges: () => ({}),
}
