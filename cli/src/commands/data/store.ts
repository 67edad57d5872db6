import { resolve } from 'node:path'
import type { CheckProgress } from '@quipu/broker/backup/check-journal.ts'
import { openFolder } from '@quipu/broker/data-folder/folder.ts'
import { entryIn } from '@quipu/core/values'
import { auditToWire } from '@quipu/server/wire/audit-wire.ts'
import { type CliCommand, type CommandContext, UsageError } from '../command.ts'
import { printRecord, printText } from '../output.ts'
import { printAudit } from './audit.ts'
import {
  folderWithJournal,
  holding,
  isInDatabase,
  pathIn,
  pathOf,
  urlOf,
  withJournal,
} from './stored-journal.ts'

// Loaded on demand, so that other commands start faster; the second also loads the PostgreSQL library.
const loaded = () => import('@quipu/broker/backup/index.ts')
const loadedPostgres = () => import('@quipu/broker/backup/postgres.ts')

export const storeCommands: readonly CliCommand[] = [
  {
    name: 'store backup',
    about:
      'Back up the data folder or PostgreSQL into a new folder, with or without a running server: all worlds, or that ' +
      'of --world. Every record and the hash chain are checked. Run it on the machine that has the data folder.',
    arguments: [{ name: 'DIR', about: 'New folder for the backup.' }],
    flags: { 'with-credentials': { about: 'Include credentials.json, which holds secrets.' } },
    usesDataFolder: isInDatabase,
    operations: ['getJournalHead'],
    example: 'quipu store backup /backups/monday',
    run: async (context) => {
      const { args, config } = context
      const [to, withCredentials] = [resolve(entryIn(args, 'DIR')), args.has('with-credentials')]
      const only = onlyOf(context)
      if (isDurable(only) && withCredentials)
        throw new UsageError('credentials.json belongs to main: remove --with-credentials or --world')
      const url = urlOf(config)
      const progress = progressOf(context, 'copying the journal')
      if (url !== undefined) {
        const { backUpPostgres } = await loadedPostgres()
        const data = withCredentials ? pathOf(config) : pathIn(config)
        return printRecord(context, {
          folder: to,
          ...(await backUpPostgres({ url, to, only, data, withCredentials, progress })),
        })
      }
      const { backUp } = await loaded()
      const manifest = await withJournal(context, (data, head) =>
        backUp({ data, to, only, withCredentials, progress, head }),
      )
      return printRecord(context, { folder: to, ...manifest })
    },
  },
  {
    name: 'store restore',
    about:
      'Restore a backup into the data folder or an empty PostgreSQL, or only the world of --world: a durable one is ' +
      'added to the other worlds. The hash chain, the records and every balance are checked first.',
    arguments: [{ name: 'DIR', about: 'Folder of the backup.' }],
    flags: {
      replace: {
        about: 'Replace a data folder that is not empty; it is kept as FOLDER.before-restore-TIME.',
      },
    },
    usesDataFolder: true,
    example: 'quipu store restore /backups/monday --data ./.quipu --replace',
    run: async (context) => {
      const { args, config } = context
      const from = resolve(entryIn(args, 'DIR'))
      const url = urlOf(config)
      if (url !== undefined && args.has('replace'))
        throw new UsageError(
          'data in PostgreSQL is never replaced: remove --replace and use an empty database',
        )
      const progress = progressOf(context, 'checking and copying the backup')
      const only = onlyOf(context)
      if (isDurable(only))
        return printRecord(context, await restoreOne(context, { from, world: only, progress }))
      if (url !== undefined) {
        const { restoreToPostgres } = await loadedPostgres()
        const parts = { from, url, only, data: pathIn(config), progress }
        return printRecord(context, await restoreToPostgres(parts))
      }
      const { restore } = await loaded()
      const data = pathOf(config)
      const restored = await restore({ from, data, only, replace: args.has('replace'), progress })
      return printRecord(context, { folder: data, ...restored })
    },
  },
  {
    name: 'store verify',
    about:
      'Verify all records, the hash chain, balances, and each row of the query tables against the journal, of all worlds or ' +
      'that of --world. Changes nothing and reports the first wrong event.',
    arguments: [{ name: 'DIR', about: 'Folder of a backup. Default: the data folder.', optional: true }],
    usesDataFolder: (given) => given.args.has('DIR') || isInDatabase(given),
    operations: ['getJournalHead'],
    example: 'quipu store verify',
    run: async (context) => {
      const { checkBackup, verifyStore } = await loaded()
      const backup = context.args.get('DIR')
      const only = onlyOf(context)
      const progress = progressOf(context, 'reading the journal')
      if (backup !== undefined)
        return printRecord(context, {
          sound: true,
          ...(await checkBackup(resolve(backup), { progress, only })),
        })
      const url = urlOf(context.config)
      const report =
        url === undefined
          ? await withJournal(context, (data, head) => verifyStore(data, { progress, head, only }))
          : await (await loadedPostgres()).verifyPostgres(url, { progress, only })
      return printAudit(context, auditToWire(report))
    },
  },
  {
    name: 'store migrate',
    about:
      'Create the tables in PostgreSQL, or change them for this version, with the role of QUIPU_STORE. A start does the ' +
      'same if its role may; this is for a database whose servers use a role with fewer rights.',
    usesDataFolder: true,
    example: 'QUIPU_STORE_FILE=/etc/quipu-owner-store quipu store migrate',
    run: async (context) => {
      const url = urlOf(context.config)
      if (url === undefined) throw new UsageError('a data folder has no tables: set QUIPU_STORE=postgres://…')
      const { migrate, POSTGRES_FORMAT: format } = await loadedPostgres()
      await migrate(url)
      return printText(context, { format }, `the tables have format ${format}`)
    },
  },
  {
    name: 'store rebuild',
    about:
      'Rebuild query tables and snapshots from the journal, of all worlds or that of --world. The server must be stopped.',
    usesDataFolder: isInDatabase,
    example: 'quipu store rebuild --data ./.quipu',
    run: async (context) => {
      const url = urlOf(context.config)
      const only = onlyOf(context)
      if (url === undefined && isDurable(only))
        throw new UsageError(
          `the query tables of ${only} are in memory in a data folder: there is nothing to rebuild`,
        )
      const progress = progressOf(context, 'rebuilding the query tables')
      if (url !== undefined)
        return printRecord(context, await (await loadedPostgres()).rebuildPostgres(url, { only, progress }))
      const { rebuildStore } = await loaded()
      const data = await folderWithJournal(context.config)
      return printRecord(context, {
        folder: data,
        ...(await holding(openFolder(data), () => rebuildStore(data, progress))),
      })
    },
  },
]

/** The world that the flag --world names. The variable QUIPU_WORLD does not limit these commands to one world. */
const onlyOf = ({ config, sources }: CommandContext): string | undefined =>
  sources.world.source.startsWith('--') ? config.world : undefined

const isDurable = (only: string | undefined): only is string => only !== undefined && only !== 'main'

type RestoredOne = { readonly from: string; readonly world: string; readonly progress: CheckProgress }

/** Adds a durable world to the store. */
async function restoreOne({ config, args }: CommandContext, parts: RestoredOne) {
  if (args.has('replace'))
    throw new UsageError('a world is never replaced: delete it first, and remove --replace')
  const url = urlOf(config)
  if (url !== undefined)
    return (await loadedPostgres()).restoreWorldToPostgres({ ...parts, url, data: pathIn(config) })
  const data = await folderWithJournal(config)
  const { restoreWorld } = await loaded()
  const restored = await holding(openFolder(data), () => restoreWorld({ ...parts, data }))
  return { folder: data, ...restored }
}

const PROGRESS_MS = 2_000

/** Prints a progress line every few seconds. */
function progressOf({ json, note }: CommandContext, doing: string): CheckProgress {
  if (json) return () => {}
  note(`${doing} …`)
  let shownAt = performance.now()
  return (seq) => {
    const now = performance.now()
    if (now - shownAt < PROGRESS_MS) return
    shownAt = now
    note(`${doing} … event ${seq}`)
  }
}
