import { FolderInUse } from '@quipu/broker/data-folder/folder.ts'
import type { Library } from '@quipu/broker/market/library.ts'
import { DataUnreadable } from '@quipu/broker/market/store/failures.ts'
import type { SeriesBlocks } from '@quipu/broker/market/store/index.ts'
import { NotSeparable } from '@quipu/broker/registry/file/one-account.ts'
import { readWorldFile, type WorldFile, WorldFileInvalid } from '@quipu/broker/registry/file/read.ts'
import { saveWorld } from '@quipu/broker/registry/file/write.ts'
import type { WorldEntry, Worlds } from '@quipu/broker/registry/worlds.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { ExplanationRecord } from '@quipu/contract'
import type { AccountId, WorldId } from '@quipu/core'
import { definedFields, hasId, missing } from '@quipu/core/values'
import { refuse } from '../../wire/refusal.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { fileStream } from '../file-stream.ts'
import type { Texts } from '../reading/explain.ts'
import { checkDurable, creationOf, type NewKeys, newKeys, newName } from './world/new-world.ts'
import { createdToWire, worldToWire } from './world/world-wire.ts'
import { entryOf } from './world-named.ts'

export const worldFileHandlers = (worlds: Worlds, library: Library | undefined) =>
  ({
    async saveWorld({ params, query }, context) {
      const entry = entryOf(worlds, params.world, context)
      const { world } = entry
      const { version } = context.services.serverState
      const texts = query.whole_world ? 'kept' : 'replaced'
      const subject =
        query.report === undefined ? undefined : await subjectOf(context, world, query.report, texts)
      const account = query.whole_world ? undefined : subject && accountIn(subject)
      const report = subject && JSON.stringify(reportOf(context, entry, subject, account))
      const chunks = await saveWorld(world, {
        version,
        series: seriesOf(world, library),
        ...definedFields({ report, account }),
      }).catch((error: unknown) => {
        throw error instanceof NotSeparable ? notSeparable(error.message) : error
      })
      return fileStream(`${world.id}.quipu`, chunks)
    },

    async loadWorld({ query, body }, context) {
      const file = await readWorldFile(Buffer.from(body.buffer, body.byteOffset, body.length)).catch(invalid)
      await checkDurable(context, worlds, query.durable)
      const id = newName(worlds, query.world, query.durable)
      let keys: NewKeys | undefined
      const complete = async (world: World) => {
        keys = await newKeys(world)
      }
      const prepare = () => addData(library, id, file)
      const entry = await worlds.lifecycle
        .load(file, id, {
          prepare,
          complete,
          ...creationOf(worlds, context, query.durable),
        })
        .catch(invalid)
      context.state.world = entry.world
      return createdToWire(entry, keys ?? missing('the keys'))
    },
  }) satisfies SomeHandlers

/** What a bug report is about: an account, or an order or request with its explanation. */
type Subject = { readonly id: string; readonly explanation?: ExplanationRecord; readonly account?: AccountId }

async function subjectOf(context: Context, world: World, id: string, texts: Texts): Promise<Subject> {
  if (hasId(world.view.accounts, id)) return { id, account: id as AccountId }
  const { explainAny } = await import('../reading/explain.ts')
  const explanation = await explainAny(context, world, id, texts)
  if (!explanation) throw refuse({ code: 'reportSubjectNotFound', id })
  const account = explanation.account_id as AccountId | undefined
  return { id, explanation, ...definedFields({ account }) }
}

function accountIn({ id, account }: Subject): AccountId {
  if (account !== undefined) return account
  throw notSeparable(`the request ${id} belongs to no account`)
}

const notSeparable = (problem: string) => refuse({ code: 'reportNotSeparable', problem })

/** The subject with the versions and settings that it happened with. Without other accounts and worlds, if of one account. */
function reportOf(
  { services: { serverState } }: Context,
  entry: WorldEntry,
  { id, explanation }: Subject,
  account: AccountId | undefined,
): object {
  const versions = {
    quipu: serverState.version,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
  }
  const whole = worldToWire(entry)
  const { accounts: _, parent: __, follows: ___, ...settings } = whole
  const world = account === undefined ? whole : settings
  return { id, saved_at: new Date().toISOString(), versions, world, ...definedFields({ explanation }) }
}

const seriesOf = (world: World, library: Library | undefined) =>
  library?.blocksOf(world.id, world.view.importedData) ?? []

/** Stores the imported data of the file that this server does not have. */
async function addData(library: Library | undefined, id: WorldId, { series }: WorldFile): Promise<void> {
  if (series.length === 0) return
  if (!library)
    throw refuse({
      code: 'worldFileInvalid',
      problem: 'it has imported data, and this server has no data folder',
    })
  try {
    // The kind of a series is checked there.
    await library.add(id, series as unknown as readonly SeriesBlocks[])
  } catch (error) {
    if (error instanceof FolderInUse) throw refuse({ code: 'importRunning' })
    throw notLoadable(error)
  }
}

function invalid(error: unknown): never {
  throw error instanceof WorldFileInvalid || error instanceof DataUnreadable ? notLoadable(error) : error
}

const notLoadable = (error: unknown) =>
  refuse({ code: 'worldFileInvalid', problem: error instanceof Error ? error.message : String(error) })
