import type { Deciders } from '../handlers.ts'
import { fail, ok, type Result } from '../result.ts'
import type { View } from '../state/state.ts'
import type { Instant } from '../time.ts'
import type { RunDeleted, RunLimits, RunRefusal } from './run.ts'

export const storedRunDeciders = {
  /** Deletes the oldest runs that are not pinned, until the new one fits. */
  storeRun(view, { at }, { runId, owner, bytes, file, record, isRunning, limits }) {
    const known = view.runs.get(runId)
    if (known && !known.isRunning) return fail({ code: 'runExists', run: runId })
    const deleted = spaceFor(view, at, { runId, bytes }, limits)
    if (!deleted.ok) return deleted
    const number = known?.number ?? view.runNumber + 1
    const stored = {
      kind: 'runStored',
      at,
      runId,
      number,
      owner: known?.owner ?? owner,
      bytes,
      file,
      record,
    } as const
    return ok([...deleted.value, isRunning ? { ...stored, isRunning } : stored])
  },

  pinRun(view, { at }, { runId, isPinned }) {
    const run = view.runs.get(runId)
    if (!run) return fail({ code: 'runNotFound', run: runId })
    return ok(run.isPinned === isPinned ? [] : [{ kind: 'runPinned', at, runId, isPinned }])
  },

  deleteRun(view, { at }, { runId }) {
    if (!view.runs.has(runId)) return fail({ code: 'runNotFound', run: runId })
    return ok([{ kind: 'runDeleted', at, runId }])
  },
} satisfies Deciders<RunRefusal>

type NewRun = { readonly runId: string; readonly bytes: number }

function spaceFor(
  view: View,
  at: Instant,
  { runId, bytes }: NewRun,
  limits: RunLimits,
): Result<readonly RunDeleted[], RunRefusal> {
  const others = [...view.runs.values()].filter(({ id }) => id !== runId)
  let [count, size] = [others.length + 1, others.reduce((sum, run) => sum + run.bytes, bytes)]
  const deleted: RunDeleted[] = []
  for (const run of others) {
    if (count <= limits.runs && size <= limits.bytes) break
    if (run.isPinned) continue
    deleted.push({ kind: 'runDeleted', at, runId: run.id })
    count -= 1
    size -= run.bytes
  }
  if (count <= limits.runs && size <= limits.bytes) return ok(deleted)
  return fail({ code: 'runLimitReached', limit: limits.runs })
}
