import { existsSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { WorldId } from '@quipu/core'
import { bytesAt } from '../../data-folder/disk-usage.ts'
import { diskOperations, makeFolder, replaceFile } from '../../data-folder/file-operations.ts'
import { worldPaths } from '../../data-folder/folder-layout.ts'
import { openFilesJournal } from '../../journal/files.ts'
import { mirrored } from '../../journal/mirror.ts'
import { openMemoryQueryTables } from '../../query-tables/memory.ts'
import {
  type DurableRecord,
  type DurableStorage,
  durableRecordText,
  isJournalName,
  parseRecord,
} from '../durable-storage.ts'

const EXTENSION = '.json'

const inMemory = { openQueryTables: openMemoryQueryTables, snapshot: async () => undefined }

/** Durable worlds in a data folder: a record and a folder with the journal for each. */
export function durableFiles(dataFolder: string): DurableStorage {
  const { folder, record: recordPath, journal: journalPath, nameOf } = worldPaths(dataFolder)
  /** Only this process writes to the folder. */
  const codes = new Map<WorldId, string>()
  const openJournal = async (name: string) => {
    await makeFolder(diskOperations, folder)
    return openFilesJournal(journalPath(name))
  }
  return {
    async list() {
      const names = await namesIn(folder)
      const records = await recordsIn(folder, names)
      codes.clear()
      for (const { world, code } of records) codes.set(world, code)
      const used = new Set(records.map(({ journal }) => journal))
      for (const name of names.map(nameOf))
        if (isJournalName(name) && !used.has(name)) await rm(journalPath(name), { recursive: true })
      return records
    },
    isInMemory: true,
    store: (name) => ({ openJournal: async () => mirrored(await openJournal(name)), ...inMemory }),
    openJournal,
    usedCodes: async () => new Set(codes.values()),
    async reserveCode(world, code) {
      if ([...codes.values()].includes(code)) return 'codeTaken'
      codes.set(world, code)
      return 'reserved'
    },
    newJournalName: (world, after) => newJournalName(world, after, (name) => existsSync(journalPath(name))),
    async storeRecord(record) {
      await replaceFile(diskOperations, recordPath(record.world), `${durableRecordText(record)}\n`)
      await diskOperations.syncFolder(folder)
    },
    record: (world) => recordAt(recordPath(world)),
    async deleteRecord({ world }) {
      await makeFolder(diskOperations, folder)
      await rm(recordPath(world), { force: true })
      await diskOperations.syncFolder(folder)
      codes.delete(world)
    },
    deleteJournal: (name) => rm(journalPath(name), { recursive: true, force: true }),
    size: async (name) => ({ kind: 'files', journalBytes: await bytesAt(journalPath(name)) }),
  }
}

/** Only this process uses the folder, so a number is enough. A deleted world may have left a journal behind. */
function newJournalName(world: WorldId, after = '.0', exists: (name: string) => boolean): string {
  let number = Number(after.slice(after.indexOf('.') + 1)) + 1
  while (exists(`${world}.${number}`)) number += 1
  return `${world}.${number}`
}

const recordAt = (path: string): Promise<DurableRecord | undefined> =>
  readFile(path, 'utf8').then(parseRecord, (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })

const namesIn = (folder: string): Promise<readonly string[]> =>
  readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })

async function recordsIn(folder: string, names: readonly string[]): Promise<readonly DurableRecord[]> {
  const records: DurableRecord[] = []
  for (const name of names.filter((one) => one.endsWith(EXTENSION)).sort())
    records.push(parseRecord(await readFile(join(folder, name), 'utf8')))
  return records
}
