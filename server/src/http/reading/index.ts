import { worldAccountHandlers } from './accounts.ts'
import { auditLogHandlers } from './audit-log.ts'
import { balanceHandlers } from './balances.ts'
import { explainHandlers } from './explain.ts'
import { frameHandlers } from './frames.ts'
import { journalHandlers } from './journal.ts'
import { worldOrderHandlers } from './orders.ts'
import { requestHandlers } from './requests.ts'
import { socketHandlers } from './sockets.ts'

/** The operations that read and explain a world, as pages or event streams. */
export const readingHandlers = {
  ...journalHandlers,
  ...frameHandlers,
  ...balanceHandlers,
  ...auditLogHandlers,
  ...requestHandlers,
  ...socketHandlers,
  ...worldAccountHandlers,
  ...worldOrderHandlers,
  ...explainHandlers,
}
