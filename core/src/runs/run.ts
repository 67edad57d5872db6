import type { RunId } from '../ids.ts'
import type { ByKind } from '../kinds.ts'
import { boolean, events, id, integer, optional, text, type ValueOf } from '../schema.ts'
import type { Instant } from '../time.ts'

/** A stored run of a program. Its file is stored beside the journal; only its record is here. */
export type StoredRun = {
  readonly id: RunId
  /** In the order of their storage, from 1. A number is not reused. */
  readonly number: number
  /** The user, account or partner that stored it. */
  readonly owner: string
  readonly bytes: number
  /** Name of its file. Each upload has a new one, so that no later write changes the file of a stored record. */
  readonly file: string
  /** The record of the run, as JSON. Only its readers know its fields. */
  readonly record: string
  /** The run has not ended: its file is replaced once. */
  readonly isRunning: boolean
  readonly isPinned: boolean
  readonly storedAt: Instant
}

/** Maximum runs and bytes of their files. The oldest that is not pinned is deleted first. */
export type RunLimits = { readonly runs: number; readonly bytes: number }

export type RunCommand = ByKind<{
  storeRun: Pick<StoredRun, 'owner' | 'bytes' | 'file' | 'record' | 'isRunning'> & {
    readonly runId: RunId
    readonly limits: RunLimits
  }
  pinRun: { readonly runId: RunId; readonly isPinned: boolean }
  deleteRun: { readonly runId: RunId }
}>

const ofRun = { runId: id<RunId>() }

export const runEvents = events({
  runStored: {
    ...ofRun,
    number: integer(),
    owner: text(),
    bytes: integer(),
    file: text(),
    record: text(),
    isRunning: optional(boolean()),
  },
  runPinned: { ...ofRun, isPinned: boolean() },
  runDeleted: ofRun,
})
export type RunDeleted = ValueOf<typeof runEvents.runDeleted>

export type RunRefusal =
  | { readonly code: 'runNotFound'; readonly run: string }
  | { readonly code: 'runExists'; readonly run: string }
  | { readonly code: 'runLimitReached'; readonly limit: number }
