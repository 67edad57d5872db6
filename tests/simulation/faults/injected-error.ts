import assert from 'node:assert/strict'
import { JournalClosed } from '../../../broker/src/journal/journal.ts'
import { NotApplied } from '../../../broker/src/journal/not-applied.ts'
import { OutcomeUnknown } from '../../../broker/src/world/submitted.ts'

const injectedErrors = new WeakSet<object>()

/** Marks an error as injected by the simulation. */
export function injected<Failure extends Error>(error: Failure): Failure {
  injectedErrors.add(error)
  return error
}

/** Whether the simulation injected this error or its cause. */
export function isCrash(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { cause } = error as { readonly cause?: unknown }
  return injectedErrors.has(error) || (cause !== undefined && isCrash(cause))
}

/** Whether this is an injected error, or an error that the program reports because of one. */
export const isExpectedError = (error: unknown): boolean =>
  error instanceof NotApplied ||
  error instanceof OutcomeUnknown ||
  error instanceof JournalClosed ||
  isCrash(error) ||
  isSilentConnection(error)

/** The error of the pool for a new connection that an injected silence keeps waiting. */
const isSilentConnection = (error: unknown): boolean =>
  error instanceof Error && error.message === 'timeout exceeded when trying to connect'

/** Fails on an error that is not a consequence of an injected one; otherwise returns false. */
export function assertExpected(error: unknown): false {
  assert(isExpectedError(error), error as Error)
  return false
}

export const unanswered = (): Promise<never> => new Promise(() => undefined)
