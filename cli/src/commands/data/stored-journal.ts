import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type DataFolder, openFolderToRead } from '@quipu/broker/data-folder/folder.ts'
import { mainPaths } from '@quipu/broker/data-folder/folder-layout.ts'
import { refuseLinks } from '@quipu/broker/data-folder/keep-owner.ts'
import { readServerFile } from '@quipu/broker/data-folder/owner-file.ts'
import type { JournalPosition } from '@quipu/broker/journal/journal.ts'
import type { Config } from '@quipu/server/config/config.ts'
import { type CommandContext, CommandFailed, UsageError } from '../command.ts'
import { isServed } from '../find-server.ts'

/** With a running server, reads up to the event that the server reports as stored; otherwise locks the folder. */
export async function withJournal<Value>(
  { config, operator }: CommandContext,
  use: (data: string, head?: JournalPosition) => Promise<Value>,
): Promise<Value> {
  const data = await folderWithJournal(config)
  if (!isServed(config)) return holding(openFolderToRead(data), () => use(data))
  const { durable, seq, hash } = await operator().getJournalHead({ params: { world: 'main' } })
  if (!durable) throw new CommandFailed('the server stores its data in memory: there is nothing on disk')
  return use(data, { seq, hash })
}

/** Locks the folder meanwhile, so that no server starts to write. */
export async function holding<Value>(
  opening: Promise<DataFolder>,
  use: () => Promise<Value>,
): Promise<Value> {
  const folder = await opening
  return use().finally(folder.release)
}

/** The data folder, if it has a journal or traces of one. */
export async function folderWithJournal(config: Config): Promise<string> {
  const data = pathOf(config)
  refuseLinks(data)
  if (readServerFile(data)?.store === 'postgres')
    throw new CommandFailed('the data is in PostgreSQL: set QUIPU_STORE or QUIPU_STORE_FILE')
  if (existsSync(mainPaths(data).journal)) return data
  const { lossInFolder } = await import('@quipu/broker/registry/store/folder-loss.ts')
  if (await lossInFolder(data, 0)) return data
  throw new CommandFailed(
    `${data} has no journal: set the data folder with --data, or QUIPU_STORE for PostgreSQL`,
  )
}

export function pathOf(config: Config): string {
  const path = pathIn(config)
  if (path !== undefined) return path
  throw new UsageError('a server in memory has no folder: set one with --data')
}

export const pathIn = ({ data }: Config): string | undefined =>
  data.kind === 'folder' ? resolve(data.path) : undefined

/** The PostgreSQL URL, if data is stored there. */
export const urlOf = ({ store }: Config): string | undefined =>
  store.kind === 'postgres' ? store.url : undefined

/** Whether a command reads a database, so that it needs neither a folder nor a server. */
export const isInDatabase = ({ config }: Pick<CommandContext, 'config'>): boolean =>
  urlOf(config) !== undefined

export function assertMain({ world }: Config): void {
  if (world !== 'main') throw new UsageError('this command takes no world: remove --world')
}
