import type { SomeHandlers } from '../context.ts'
import { accountSnapshotHandlers } from './account-snapshot.ts'
import { worldAccountHandlers } from './accounts.ts'
import { auditLogHandlers } from './audit-log.ts'
import { balanceHandlers } from './balances.ts'
import { frameHandlers } from './frames.ts'
import { journalHandlers } from './journal.ts'
import { worldOrderHandlers } from './orders.ts'
import { requestHandlers } from './requests.ts'
import { socketHandlers } from './sockets.ts'

/** Explanations have many sentences: they are loaded with the first one, and comparisons too. */
const explainHandlers = {
  explainOrder: async (input, context) =>
    (await import('./explain.ts')).explainHandlers.explainOrder(input, context),
  explainRequest: async (input, context) =>
    (await import('./explain.ts')).explainHandlers.explainRequest(input, context),
  getWorldDifference: async (input, context) =>
    (await import('./difference.ts')).differenceHandlers.getWorldDifference(input, context),
  whatIfOrder: async (input, context) =>
    (await import('./what-if.ts')).whatIfHandlers.whatIfOrder(input, context),
  whatIfRequest: async (input, context) =>
    (await import('./what-if.ts')).whatIfHandlers.whatIfRequest(input, context),
} satisfies SomeHandlers

/** The operations that read and explain a world, as pages or event streams. */
export const readingHandlers = {
  ...journalHandlers,
  ...frameHandlers,
  ...balanceHandlers,
  ...auditLogHandlers,
  ...requestHandlers,
  ...socketHandlers,
  ...worldAccountHandlers,
  ...accountSnapshotHandlers,
  ...worldOrderHandlers,
  ...explainHandlers,
}
