import { type Caller, readsAllWorlds } from '@quipu/broker/access/caller.ts'
import type { RunFiles } from '@quipu/broker/registry/runs/run-files.ts'
import { MAIN, type Worlds } from '@quipu/broker/registry/worlds.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { OutputOf, RunRecord } from '@quipu/contract'
import { definedFields, formatInstant, type RunId, type StoredRun, type UserId, type View } from '@quipu/core'
import { refuse } from '../../../wire/refusal.ts'
import type { Context, SomeHandlers } from '../../context.ts'
import { fileStream } from '../../file-stream.ts'
import { checkedRun } from './run-upload.ts'

/** A file without a record for this long belongs to a run that was never stored, because the server crashed. */
const ORPHAN_MS = 600_000

type RunWire = OutputOf<'getRun'>

/** The runs of `main`. Their files are stored before their records, so that no record is without a file. */
export const runHandlers = (worlds: Worlds, files: RunFiles) => ({
  ...readingRuns(worlds, files),
  ...changingRuns(worlds, files),
})

const readingRuns = (worlds: Worlds, files: RunFiles) =>
  ({
    async listRuns({ query: { cursor, limit } }, context) {
      const main = mainFor(worlds, context)
      const before = numberOf(cursor)
      const runs = await context.state.read(main, (view) =>
        [...view.runs.values()]
          .filter((run) => run.number < before && isVisible(view, context, run))
          .sort((a, b) => b.number - a.number)
          .slice(0, limit + 1)
          .map((run) => runToWire(view, run)),
      )
      const page = runs.slice(0, limit)
      const last = page.at(-1)
      return { runs: page, next_cursor: runs.length > limit && last ? String(last.number) : null }
    },

    getRun: ({ params }, context) => {
      const main = mainFor(worlds, context)
      return context.state.read(main, (view) => runToWire(view, visibleRun(view, context, params.run)))
    },

    async getRunFile({ params }, context) {
      const main = mainFor(worlds, context)
      const run = await context.state.read(main, (view) => visibleRun(view, context, params.run))
      const chunks = await files.read(run.id)
      if (!chunks) throw refuse({ code: 'runNotFound', run: params.run })
      return fileStream(`run-${run.number}.quipu-run`, chunks)
    },
  }) satisfies SomeHandlers

const changingRuns = (worlds: Worlds, files: RunFiles) =>
  ({
    async storeRun({ body }, context) {
      const main = mainFor(worlds, context)
      const record = await checkedRun(body)
      const runId = record.id as RunId
      const known = main.view.runs.get(runId)
      if (known && !(known.isRunning && isVisible(main.view, context, known)))
        throw refuse({ code: 'runExists', run: record.id })
      const { runsMax, runsMaxBytes } = context.services.limits
      await files.write(runId, body)
      const command = {
        kind: 'storeRun',
        runId,
        owner: ownerOf(main.view, callerOf(context)),
        bytes: body.length,
        record: JSON.stringify(record),
        isRunning: record.verdict === 'running',
        limits: { runs: runsMax, bytes: runsMaxBytes },
      } as const
      const stored = await context.state
        .execute(main, command, (view) => view.runs.get(runId))
        .catch(async (error: unknown) => {
          if (!main.view.runs.has(runId)) await files.delete(runId)
          throw error
        })
      if (!stored) throw new Error('bug: a run does not exist after it was stored')
      await files.sweep((run) => main.view.runs.has(run as RunId), ORPHAN_MS)
      return runToWire(main.view, stored)
    },

    async pinRun({ params, body }, context) {
      const main = mainFor(worlds, context)
      const { id: runId } = visibleRun(main.view, context, params.run)
      const command = { kind: 'pinRun', runId, isPinned: body.pinned } as const
      return context.state.execute(main, command, (view) => runToWire(view, visibleRun(view, context, runId)))
    },

    async deleteRun({ params }, context) {
      const main = mainFor(worlds, context)
      const { id: runId } = visibleRun(main.view, context, params.run)
      await context.state.execute(main, { kind: 'deleteRun', runId })
      await files.delete(runId)
    },
  }) satisfies SomeHandlers

/** Runs belong to people, accounts and partners of `main`. */
function mainFor(worlds: Worlds, context: Context): World {
  const main = worlds.get(MAIN)
  const isOfMain = callerOf(context).world.id === MAIN
  if (main && (isOfMain || readsAllWorlds(callerOf(context)))) return main
  throw refuse({ code: 'forbidden' })
}

function callerOf({ caller }: Context): Caller {
  if (!caller) throw new Error('bug: an operation on runs has no caller')
  return caller
}

const isVisible = (view: View, context: Context, { owner }: Pick<StoredRun, 'owner'>): boolean =>
  readsAllWorlds(callerOf(context)) || owner === ownerOf(view, callerOf(context))

function visibleRun(view: View, context: Context, id: string): StoredRun {
  const run = view.runs.get(id as RunId)
  if (run && isVisible(view, context, run)) return run
  throw refuse({ code: 'runNotFound', run: id })
}

/** The person of an account, so that her key and her session see the same runs; otherwise the account or the partner. */
function ownerOf(view: View, caller: Caller): string {
  if (caller.kind === 'partner') return caller.partnerId
  return view.accounts.get(caller.accountId)?.userId ?? caller.accountId
}

const numberOf = (cursor: string | undefined): number => {
  if (cursor === undefined) return Number.POSITIVE_INFINITY
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor)
  throw refuse({ code: 'invalidParameter', problem: `cursor: expected a next_cursor, received ${cursor}` })
}

function runToWire(view: View, { number, owner, bytes, isPinned, storedAt, record }: StoredRun): RunWire {
  const fields = JSON.parse(record) as RunRecord
  return definedFields({
    ...fields,
    number,
    owner: view.users.get(owner as UserId)?.name ?? owner,
    bytes,
    pinned: isPinned,
    stored_at: formatInstant(storedAt),
  }) as RunWire
}
