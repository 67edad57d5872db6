import { resolve } from 'node:path'
import type { Progress } from '../../backup/check-journal.ts'
import { openFolder } from '../../process/folder.ts'
import { type Command, type Context, UsageError } from '../command.ts'
import { printRecord } from '../output.ts'
import { printAudit } from './audit.ts'
import { folderWithJournal, holding, pathIn, pathOf, urlOf, withJournal } from './stored-journal.ts'

// Loaded on demand, so that other commands start faster; the second also loads the PostgreSQL library.
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
      const { args, config } = context
      const [to, withCredentials] = [resolve(args.get('DIR')!), args.has('with-credentials')]
      const url = urlOf(config)
      const progress = progressOf(context, 'copying the journal')
      if (url !== undefined) {
        const { backUpPostgres } = await loadedPostgres()
        const data = withCredentials ? pathOf(config) : pathIn(config)
        return printRecord(context, {
          folder: to,
          ...(await backUpPostgres({ url, to, data, withCredentials, progress })),
        })
      }
      const { backUp } = await loaded()
      const manifest = await withJournal(context, (data, head) =>
        backUp({ data, to, withCredentials, progress, head }),
      )
      return printRecord(context, { folder: to, ...manifest })
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
    usesDataFolder: true,
    example: 'quipu store restore /backups/monday --data ./.quipu --replace',
    run: async (context) => {
      const { args, config } = context
      const from = resolve(args.get('DIR')!)
      const url = urlOf(config)
      if (url !== undefined && args.has('replace'))
        throw new UsageError(
          'data in PostgreSQL is never replaced: remove --replace and use an empty database',
        )
      const progress = progressOf(context, 'checking and copying the backup')
      if (url !== undefined) {
        const { restoreToPostgres } = await loadedPostgres()
        return printRecord(context, await restoreToPostgres({ from, url, data: pathIn(config), progress }))
      }
      const { restore } = await loaded()
      const data = pathOf(config)
      const restored = await restore({ from, data, replace: args.has('replace'), progress })
      return printRecord(context, { folder: data, ...restored })
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
      const backup = context.args.get('DIR')
      const progress = progressOf(context, 'reading the journal')
      if (backup !== undefined)
        return printRecord(context, { sound: true, ...(await checkBackup(resolve(backup), progress)) })
      const url = urlOf(context.config)
      const report =
        url === undefined
          ? await withJournal(context, (data, head) => verifyStore(data, { progress, head }))
          : await (await loadedPostgres()).verifyPostgres(url, progress)
      return printAudit(context, report)
    },
  },
  {
    name: 'store rebuild',
    about: 'Rebuild views and snapshots from the journal. The server must be stopped.',
    example: 'quipu store rebuild --data ./.quipu',
    run: async (context) => {
      const url = urlOf(context.config)
      const progress = progressOf(context, 'rebuilding the views')
      if (url !== undefined)
        return printRecord(context, await (await loadedPostgres()).rebuildPostgres(url, progress))
      const { rebuildStore } = await loaded()
      const data = await folderWithJournal(context.config)
      return printRecord(context, {
        folder: data,
        ...(await holding(openFolder(data), () => rebuildStore(data, progress))),
      })
    },
  },
]

const PROGRESS_MS = 2_000

/** Prints a progress line every few seconds. */
function progressOf({ json, note }: Context, doing: string): Progress {
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
