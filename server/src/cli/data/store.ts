import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Progress } from '../../backup/check-journal.ts'
import type { Config } from '../../config/config.ts'
import type { Position } from '../../journal/journal.ts'
import { type DataFolder, openFolder, openFolderToRead } from '../../process/folder.ts'
import { mainPaths } from '../../process/folder-layout.ts'
import { type Command, type Context, Failed, UsageError } from '../command.ts'
import { isServed } from '../find-server.ts'
import { shown } from '../output.ts'
import { auditLines } from './audit-lines.ts'

// Other commands start faster without it; the second one loads the library for PostgreSQL as well.
const loaded = () => import('../../backup/index.ts')
const loadedPostgres = () => import('../../backup/postgres.ts')

export const storeCommands: readonly Command[] = [
  {
    name: 'store backup',
    about:
      'Back up the data folder or PostgreSQL into a new folder, with or without a running server. Every record and ' +
      'the hash chain are checked. Run it on the machine that has the data folder.',
    arguments: [{ name: 'DIR', about: 'New folder for the backup.' }],
    flags: { 'with-credentials': { about: 'Include credentials.json, which holds secrets.' } },
    operations: ['getJournalHead'],
    example: 'quipu store backup /backups/monday',
    run: async (context) => {
      const { given, config } = context
      const [to, withCredentials] = [resolve(given.get('DIR')!), given.has('with-credentials')]
      const url = urlOf(config)
      const progress = progressOf(context, 'copying the journal')
      if (url !== undefined) {
        const { backUpPostgres } = await loadedPostgres()
        const data = withCredentials ? pathOf(config) : pathIn(config)
        return shown(context, {
          folder: to,
          ...(await backUpPostgres({ url, to, data, withCredentials, progress })),
        })
      }
      const { backUp } = await loaded()
      const manifest = await withBooks(context, (data, head) =>
        backUp({ data, to, withCredentials, progress, head }),
      )
      return shown(context, { folder: to, ...manifest })
    },
  },
  {
    name: 'store restore',
    about:
      'Restore a backup into the data folder or an empty PostgreSQL. The hash chain, the records and every balance ' +
      'are checked before anything is replaced.',
    arguments: [{ name: 'DIR', about: 'Folder of the backup.' }],
    flags: {
      replace: {
        about: 'Replace a data folder that is not empty; it is kept as FOLDER.before-restore-TIME.',
      },
    },
    ownFolder: true,
    example: 'quipu store restore /backups/monday --data ./.quipu --replace',
    run: async (context) => {
      const { given, config } = context
      const from = resolve(given.get('DIR')!)
      const url = urlOf(config)
      if (url !== undefined && given.has('replace'))
        throw new UsageError(
          'books in PostgreSQL are not replaced: leave --replace out, name an empty database',
        )
      const progress = progressOf(context, 'checking and copying the backup')
      if (url !== undefined) {
        const { restoreToPostgres } = await loadedPostgres()
        return shown(context, await restoreToPostgres({ from, url, data: pathIn(config), progress }))
      }
      const { restore } = await loaded()
      const data = pathOf(config)
      const restored = await restore({ from, data, replace: given.has('replace'), progress })
      return shown(context, { folder: data, ...restored })
    },
  },
  {
    name: 'store verify',
    about:
      'Verify all records, the hash chain, balances, and each row of the views against the journal. Changes nothing ' +
      'and reports the first wrong event.',
    arguments: [{ name: 'DIR', about: 'Folder of a backup. Default: the data folder.', optional: true }],
    operations: ['getJournalHead'],
    example: 'quipu store verify',
    run: async (context) => {
      const { checkBackup, verifyStore } = await loaded()
      const backup = context.given.get('DIR')
      const progress = progressOf(context, 'reading the journal')
      if (backup !== undefined)
        return shown(context, { sound: true, ...(await checkBackup(resolve(backup), progress)) })
      const url = urlOf(context.config)
      const report =
        url === undefined
          ? await withBooks(context, (data, head) => verifyStore(data, { progress, head }))
          : await (await loadedPostgres()).verifyPostgres(url, progress)
      context.say(context.json ? JSON.stringify(report) : auditLines(report).join('\n'))
      return report.sound ? 0 : 1
    },
  },
  {
    name: 'store rebuild',
    about: 'Rebuild views and snapshots from the journal. The server must be stopped.',
    example: 'quipu store rebuild --data ./.quipu',
    run: async (context) => {
      const url = urlOf(context.config)
      const progress = progressOf(context, 'making the views')
      if (url !== undefined)
        return shown(context, await (await loadedPostgres()).rebuildPostgres(url, progress))
      const { rebuildStore } = await loaded()
      const data = await booksOf(context.config)
      return shown(context, {
        folder: data,
        ...(await holding(openFolder(data), () => rebuildStore(data, progress))),
      })
    },
  },
]

/** With a server, up to what it says is stored; else alone with the folder. */
async function withBooks<Value>(
  { config, operator }: Context,
  use: (data: string, head?: Position) => Promise<Value>,
): Promise<Value> {
  const data = await booksOf(config)
  if (!isServed(config)) return holding(openFolderToRead(data), () => use(data))
  const { durable, seq, hash } = await operator().getJournalHead({ params: { world: config.world } })
  if (!durable) throw new Failed('the server keeps its books in memory: there is nothing on the disk')
  return use(data, { seq, hash })
}

/** Holds the folder meanwhile, so that no server starts to write. */
async function holding<Value>(opening: Promise<DataFolder>, use: () => Promise<Value>): Promise<Value> {
  const folder = await opening
  return use().finally(folder.release)
}

/** The data folder, if it has a journal, or shows that it had one. */
async function booksOf(config: Config): Promise<string> {
  const data = pathOf(config)
  if (existsSync(mainPaths(data).journal)) return data
  const { lossInFolder } = await import('../../backup/folder-loss.ts')
  if (await lossInFolder(data, 0)) return data
  throw new Failed(`${data} has no journal: name the data folder on this machine with --data`)
}

function pathOf(config: Config): string {
  assertMain(config)
  const path = pathIn(config)
  if (path !== undefined) return path
  throw new UsageError('what is in memory has no folder: name one with --data')
}

const pathIn = ({ data }: Config): string | undefined =>
  data.kind === 'folder' ? resolve(data.path) : undefined

/** The address of the books, where they are in PostgreSQL. */
function urlOf(config: Config): string | undefined {
  if (config.store.kind !== 'postgres') return undefined
  assertMain(config)
  return config.store.url
}

function assertMain({ world }: Config): void {
  if (world !== 'main') throw new UsageError('only main is kept on the disk: leave --world out')
}

const PROGRESS_MS = 2_000

/** A line now and then, for a person who waits. */
function progressOf({ json, note }: Context, doing: string): Progress {
  if (json) return () => {}
  note(`${doing} …`)
  let toldAt = performance.now()
  return (seq) => {
    const now = performance.now()
    if (now - toldAt < PROGRESS_MS) return
    toldAt = now
    note(`${doing} … event ${seq}`)
  }
}
