import type { Handlers } from '@quipu/contract'
import type { Context } from '../context.ts'
import { balanceHandlers } from './balances.ts'
import { journalHandlers } from './journal-handlers.ts'

/** What an operator can read of a world, page by page and as it happens. */
export const readingHandlers = { ...journalHandlers, ...balanceHandlers } satisfies Partial<Handlers<Context>>
