import type { Appliers, Deciders } from '../handlers.ts'
import { ok } from '../result.ts'

export const describeDeciders = {
  describeWorld({ description: before }, { at }, { title, note, expiresAtMs }) {
    const isSame = title === before?.title && note === before?.note && expiresAtMs === before?.expiresAtMs
    if (isSame) return ok([])
    const named = { ...(title !== undefined && { title }), ...(note !== undefined && { note }) }
    const sealed = expiresAtMs === undefined ? {} : { sealed: { expiresAtMs } }
    return ok([{ kind: 'worldDescribed', at, ...named, ...sealed }])
  },
} satisfies Deciders

export const describeAppliers = {
  worldDescribed(state, { title, note, sealed }) {
    state.description = { title, note, expiresAtMs: sealed?.expiresAtMs }
  },
} satisfies Appliers
