import assert from 'node:assert/strict'
import { JournalClosed } from '../../../server/src/journal/journal.ts'
import { NotApplied } from '../../../server/src/process/not-applied.ts'
import { OutcomeUnknown } from '../../../server/src/world/engine.ts'

const caused = new WeakSet<object>()

/** Marks an error as one that the simulation has made. */
export function made<Made extends Error>(error: Made): Made {
  caused.add(error)
  return error
}

/** A failure that the simulation has caused. */
export function isCrash(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { cause } = error as { readonly cause?: unknown }
  return caused.has(error) || (cause !== undefined && isCrash(cause))
}

/** A failure that the simulation has caused, or what is said because of one. */
export const isTrouble = (error: unknown): boolean =>
  error instanceof NotApplied ||
  error instanceof OutcomeUnknown ||
  error instanceof JournalClosed ||
  isCrash(error)

/** Trouble is what the store makes; anything else is a fault of the program. */
export function isOnlyTrouble(error: unknown): false {
  assert(isTrouble(error), error as Error)
  return false
}

export const unanswered = (): Promise<never> => new Promise(() => undefined)
