import type { WorldId } from '@quipu/core'
import type { Library } from '../../market/library.ts'
import { DataUnreadable } from '../../market/store/failures.ts'
import type { SeriesBlocks } from '../../market/store/index.ts'
import { FolderInUse } from '../../process/folder.ts'
import { refuse } from '../../wire/refusal.ts'
import type { World } from '../../world/world.ts'
import { readWorldFile, type WorldFile, WorldFileInvalid } from '../../worlds/file/read.ts'
import { saveWorld } from '../../worlds/file/write.ts'
import type { WorldEntry, Worlds } from '../../worlds/worlds.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { fileStream } from '../file-stream.ts'
import { explainAny } from '../reading/explain.ts'
import { checkDurable, creationOf, type NewKeys, newKeys, newName } from './new-world.ts'
import { entryOf } from './world-named.ts'
import { createdToWire, worldToWire } from './world-wire.ts'

export const worldFileHandlers = (worlds: Worlds, library: Library | undefined) =>
  ({
    async saveWorld({ params, query }, context) {
      const entry = entryOf(worlds, params.world, context)
      const { world } = entry
      const { version } = context.services
      const report = query.report === undefined ? undefined : await reportOf(context, entry, query.report)
      const chunks = await saveWorld(world, { version, series: seriesOf(world, library), report })
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
      const entry = await worlds
        .load(file, id, {
          prepare,
          complete,
          ...creationOf(worlds, context, query.durable),
        })
        .catch(invalid)
      context.world = entry.world
      return createdToWire(entry, keys!)
    },
  }) satisfies SomeHandlers

/** The explanation of an order or a request, with the versions and settings that it happened with. */
async function reportOf(context: Context, entry: WorldEntry, id: string): Promise<string> {
  const explanation = await explainAny(context, entry.world, id)
  if (!explanation) throw refuse({ code: 'reportSubjectNotFound', id })
  const { version } = context.services
  const versions = { quipu: version, node: process.version, platform: `${process.platform} ${process.arch}` }
  const world = worldToWire(entry)
  return JSON.stringify({ id, saved_at: new Date().toISOString(), versions, world, explanation })
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
