import { balanceHandlers } from './balances.ts'
import { journalHandlers } from './journal-handlers.ts'
import { requestHandlers } from './requests.ts'
import { socketHandlers } from './sockets.ts'

/** What an operator can read of a world, page by page and as it happens. */
export const readingHandlers = {
  ...journalHandlers,
  ...balanceHandlers,
  ...requestHandlers,
  ...socketHandlers,
}
