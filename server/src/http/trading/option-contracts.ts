import type { Handlers } from '@quipu/contract'
import { refuse } from '../../wire/refusal.ts'
import type { Context } from '../context.ts'

/** Options are not traded: the list is empty, and no contract is found. */
export const optionContractHandlers: Handlers<Context, 'listOptionContracts' | 'getOptionContract'> = {
  listOptionContracts: () => ({ option_contracts: [], next_page_token: null }),
  getOptionContract: ({ params: { symbol_or_id: symbol } }) => {
    throw refuse({ code: 'optionContractNotFound', symbol })
  },
}
