import { ClientDisconnected, currentReader } from '../../clock/long-work.ts'
import type { JournalSource } from '../../journal/journal.ts'
import { runInThread } from '../../threads/run-in-thread.ts'
import type { AuditExpectation, AuditReport } from './audit.ts'

export type AuditOrder = { readonly source: JournalSource; readonly expected: AuditExpectation }

/** One audit at a time, because each one holds the state of its world. */
let previous: Promise<unknown> = Promise.resolve()

/** Audits a stored journal in a thread. Returns undefined if the thread fails. Ends when the client disconnects. */
export async function auditInThread(order: AuditOrder): Promise<AuditReport | undefined> {
  const ending = new AbortController()
  const { client } = currentReader() ?? {}
  const cancel = client?.onClosed(() => ending.abort())
  const run = async (): Promise<AuditReport> => {
    if (client?.isClosed) throw new ClientDisconnected()
    return runInThread(import.meta.url, 'audit-thread', order, ending.signal)
  }
  const report = previous.then(run)
  previous = report.catch(() => undefined)
  try {
    return await report
  } catch {
    if (client?.isClosed) throw new ClientDisconnected()
    return undefined
  } finally {
    cancel?.()
  }
}
