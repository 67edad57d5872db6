import { refuse } from '../../wire/refusal.ts'
import type { SomeHandlers } from '../context.ts'

const noPage = { next_page_token: null } as const

/** A PNG of one transparent pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

/** Quipu does not have this data: every response is empty, in the shape that clients expect. */
export const emptyDataHandlers = {
  optionBars: () => ({ bars: {}, ...noPage }),
  optionTrades: () => ({ trades: {}, ...noPage }),
  optionLatestTrades: () => ({ trades: {} }),
  optionLatestQuotes: () => ({ quotes: {} }),
  optionSnapshots: () => ({ snapshots: {}, ...noPage }),
  optionChain: () => ({ snapshots: {}, ...noPage }),
  optionMetaConditions: () => ({}),
  optionMetaExchanges: () => ({}),

  news: () => ({ news: [], ...noPage }),
  logo: ({ params: { symbol }, query: { placeholder } }) => {
    if (!placeholder) throw refuse({ code: 'logoNotFound', symbol })
    return PIXEL
  },
  forexLatestRates: () => ({ rates: {} }),
  forexRates: () => ({ rates: {}, ...noPage }),
  indexLatestValues: () => ({ values: {} }),
  indexValues: () => ({ values: {}, ...noPage }),
  fixedIncomeLatestPrices: () => ({ prices: {} }),
  fixedIncomeLatestQuotes: () => ({ quotes: {} }),
} satisfies SomeHandlers
