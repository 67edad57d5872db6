import type { Appliers } from '../handlers.ts'
import { found } from '../result.ts'

export const storedRunAppliers = {
  runStored(state, { at, runId: id, number, owner, bytes, file, record, isRunning = false }) {
    const isPinned = state.runs.get(id)?.isPinned ?? false
    state.runs.set(id, { id, number, owner, bytes, file, record, isRunning, isPinned, storedAt: at })
    state.runNumber = Math.max(state.runNumber, number)
  },

  runPinned(state, { runId, isPinned }) {
    state.runs.set(runId, { ...found(state.runs.get(runId), runId), isPinned })
  },

  runDeleted(state, { runId }) {
    state.runs.delete(runId)
  },
} satisfies Appliers
