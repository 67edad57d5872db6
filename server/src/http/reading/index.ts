import { worldAccountHandlers } from './accounts.ts'
import { auditLogHandlers } from './audit-log.ts'
import { balanceHandlers } from './balances.ts'
import { explainHandlers } from './explain.ts'
import { journalHandlers } from './journal.ts'
import { worldOrderHandlers } from './orders.ts'
import { requestHandlers } from './requests.ts'
import { socketHandlers } from './sockets.ts'

/** What an operator can read of a world, page by page and as it happens, and why it is so. */
export const readingHandlers = {
  ...journalHandlers,
  ...balanceHandlers,
  ...auditLogHandlers,
  ...requestHandlers,
  ...socketHandlers,
  ...worldAccountHandlers,
  ...worldOrderHandlers,
  ...explainHandlers,
}
