import { createHash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { type AccountId, MARKET_MODEL, settingsOf } from '@quipu/core'
import { EventGroup } from '../../journal/group.ts'
import type { Journal } from '../../journal/journal.ts'
import { recordOf } from '../../journal/record.ts'
import type { World } from '../../world/world.ts'
import { lineOf, type SavedBlock, type SavedSeries, WORLD_FILE_FORMAT } from './format.ts'
import { journalOfAccount } from './one-account.ts'
import { SecretRemover } from './without-secrets.ts'

/** A series with its blocks, oldest first. */
export type SeriesToSave = {
  readonly record: SavedSeries
  readonly blocks: Iterable<SavedBlock & { readonly data: Uint8Array }>
}

export type SaveOptions = {
  readonly version: string
  /** The series of imported data that the world uses. */
  readonly series: readonly SeriesToSave[]
  /** JSON for a bug report. */
  readonly report?: string | undefined
  /** Only this account and the market, without texts about people. Default: the whole world. */
  readonly account?: AccountId | undefined
}

const NEWLINE = Buffer.from('\n')

/** The world at this moment as the chunks of a file. Later events are not in the file. */
export async function saveWorld(world: World, options: SaveOptions): Promise<AsyncIterable<Buffer>> {
  await world.commands.quiet()
  // No other command runs until the next await, so all of these are from one moment.
  const { view, engine } = world
  const { now } = engine
  const { seed } = settingsOf(view)
  const { seq: last } = view
  await engine.untilDurable(last)
  const { account } = options
  const journal =
    account === undefined
      ? world.storage.journal
      : await journalOfAccount(() => world.storage.journal.read(0), last, account)
  const seq = account === undefined ? last : journal.head().seq
  const header = lineOf({
    quipu: 'world',
    format: WORLD_FILE_FORMAT,
    version: options.version,
    marketModel: MARKET_MODEL,
    world: world.id,
    seed,
    now: String(now),
    seq,
    hash: await journal.hashAt(seq),
    series: options.series.map(({ record }) => record),
  })
  return hashed(parts(header, journal.read(0), seq, options))
}

async function* parts(
  header: Buffer,
  batches: ReturnType<Journal['read']>,
  seq: number,
  { series, report }: SaveOptions,
): AsyncGenerator<Buffer> {
  yield header
  if (report !== undefined) {
    const bytes = Buffer.from(report)
    yield Buffer.concat([lineOf({ part: 'report', bytes: bytes.length }), bytes, NEWLINE])
  }
  yield* records(batches, seq)
  for (const [index, { blocks }] of series.entries())
    for (const { period, rows, first, last, sha256, data } of blocks) {
      const line = lineOf({
        part: 'block',
        series: index,
        period,
        rows,
        first,
        last,
        sha256,
        bytes: data.length,
      })
      yield Buffer.concat([line, data, NEWLINE])
      await turn()
    }
}

async function* records(batches: ReturnType<Journal['read']>, seq: number): AsyncGenerator<Buffer> {
  const secrets = new SecretRemover()
  let first = 1
  for await (const batch of batches) {
    const entries = batch.slice(0, seq - first + 1)
    if (entries.length === 0) return
    const group = EventGroup.of(entries.map((entry) => secrets.clean(entry)))
    yield Buffer.from(recordOf(first, group).bytes)
    first += entries.length
    await turn()
  }
}

/** Adds the last line with the hash over all chunks. */
async function* hashed(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  for await (const chunk of chunks) {
    hash.update(chunk)
    yield chunk
  }
  yield lineOf({ part: 'end', sha256: hash.digest('hex') })
}
