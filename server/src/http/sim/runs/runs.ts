import { randomUUID } from 'node:crypto'
import { type Caller, readsAllWorlds } from '@quipu/broker/access/caller.ts'
import type { RunFiles } from '@quipu/broker/registry/runs/run-files.ts'
import { MAIN, type Worlds } from '@quipu/broker/registry/worlds.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { Handlers, OutputOf, RunRecord } from '@quipu/contract'
import { definedFields, formatInstant, type RunId, type StoredRun, type UserId, type View } from '@quipu/core'
import { refuse } from '../../../wire/refusal.ts'
import type { Context, SomeHandlers } from '../../context.ts'
import { fileStream } from '../../file-stream.ts'
import { checkedRun } from './run-upload.ts'

/** A file without a record for this long belongs to an upload that failed, or to a run that was deleted. */
const ORPHAN_MS = 600_000

type RunWire = OutputOf<'getRun'>

/**
 * The runs of `main`. A file is stored before the record that names it, and deleted after it, so that no record is without a
 * file. If the outcome of an upload is unknown, its file stays until the sweep, because its record may be stored.
 */
export const runHandlers = (worlds: Worlds, files: RunFiles) => ({
  ...readingRuns(worlds, files),
  ...changingRuns(worlds, files),
})

/** Deletes the files that no record names. */
export function sweepRunFiles(
  files: RunFiles,
  { storage: { journal }, view }: Pick<World, 'storage' | 'view'>,
  {
    olderThanMs,
    uploads = new Set(),
  }: { readonly olderThanMs: number; readonly uploads?: ReadonlySet<string> },
): Promise<void> {
  const named = new Set([...view.runs.values()].map(({ file }) => file))
  return files.sweep({ isKept: (file) => named.has(file) || uploads.has(file), olderThanMs, journal })
}

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
      const chunks = await files.read(run.file)
      if (!chunks) throw refuse({ code: 'runFileMissing', run: params.run })
      return fileStream(`run-${run.number}.quipu-run`, chunks)
    },
  }) satisfies SomeHandlers

const changingRuns = (worlds: Worlds, files: RunFiles) =>
  ({
    storeRun: storingRuns(worlds, files),

    async pinRun({ params, body }, context) {
      const main = mainFor(worlds, context)
      const { id: runId } = visibleRun(main.view, context, params.run)
      const command = { kind: 'pinRun', runId, isPinned: body.pinned } as const
      return context.state.execute(main, command, (view) => runToWire(view, visibleRun(view, context, runId)))
    },

    async deleteRun({ params }, context) {
      const main = mainFor(worlds, context)
      const { id: runId, file } = visibleRun(main.view, context, params.run)
      await context.state.execute(main, { kind: 'deleteRun', runId })
      await files.delete(file)
    },
  }) satisfies SomeHandlers

function storingRuns(worlds: Worlds, files: RunFiles): Handlers<Context>['storeRun'] {
  /** Files of uploads whose records are not stored yet. */
  const uploads = new Set<string>()
  // One file at a time, so that the journals of a database do not wait for many large files.
  let written: Promise<unknown> = Promise.resolve()
  const write = (file: string, body: Uint8Array): Promise<void> => {
    const writing = written.then(() => files.write(file, body))
    written = writing.catch(() => undefined)
    return writing
  }
  return async ({ body }, context) => {
    const main = mainFor(worlds, context)
    const record = await checkedRun(body)
    const runId = record.id as RunId
    const known = main.view.runs.get(runId)
    if (known && !(known.isRunning && isVisible(main.view, context, known)))
      throw refuse({ code: 'runExists', run: record.id })
    const file = randomUUID()
    uploads.add(file)
    try {
      await write(file, body)
      const { decision, stored } = await context.state.submit(
        main,
        storeCommand(context, main.view, { file, bytes: body.length, record }),
        (view, result) => ({ decision: result, stored: view.runs.get(runId) }),
      )
      if (!decision.ok) {
        await files.delete(file)
        throw refuse(decision.reason)
      }
      if (!stored) throw new Error('bug: a run does not exist after it was stored')
      if (known) await files.delete(known.file)
      await sweepRunFiles(files, main, { olderThanMs: ORPHAN_MS, uploads })
      return runToWire(main.view, stored)
    } finally {
      uploads.delete(file)
    }
  }
}

type Upload = { readonly file: string; readonly bytes: number; readonly record: RunRecord }

function storeCommand(context: Context, view: View, { file, bytes, record }: Upload) {
  const { runsMax, runsMaxBytes } = context.services.limits
  return {
    kind: 'storeRun',
    runId: record.id as RunId,
    owner: ownerOf(view, callerOf(context)),
    bytes,
    file,
    record: JSON.stringify(record),
    isRunning: record.verdict === 'running',
    limits: { runs: runsMax, bytes: runsMaxBytes },
  } as const
}

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

/**
 * The person of a session or of an account, so that her keys and her sessions see the same runs, also after she loses operator
 * rights; otherwise the account or the partner.
 */
function ownerOf(view: View, caller: Caller): string {
  const person = caller.session?.world.id === MAIN && view.sessions.get(caller.session.digest)?.userId
  if (person) return person
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
