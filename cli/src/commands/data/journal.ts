import { type CliCommand, type CommandContext, UsageError } from '../command.ts'
import { assertMain, isInDatabase, urlOf, withJournal } from './stored-journal.ts'

export const journalCommand: CliCommand = {
  name: 'journal print',
  about:
    'Print the stored events of main, one line of JSON each, without digests of secrets. It reads the data folder or ' +
    'the database itself, with or without a running server.',
  flags: {
    after: { placeholder: 'N', about: 'Begin after the event with this number. Default: 0.' },
    limit: { placeholder: 'N', about: 'Print at most this many events. Default: all.' },
  },
  usesDataFolder: isInDatabase,
  operations: ['getJournalHead'],
  example: 'quipu journal print --after 1000 --limit 10',
  run: async (context) => {
    const [after, limit] = [countIn(context, 'after') ?? 0, countIn(context, 'limit') ?? Infinity]
    assertMain(context.config)
    const url = urlOf(context.config)
    // Loads the core and the PostgreSQL library only if necessary.
    const { printFolder, printPostgres } = await import('./print-journal.ts')
    if (url !== undefined) await printPostgres(url, { after, limit, print: context.print })
    else
      await withJournal(context, (data, head) =>
        printFolder(data, { head, after, limit, print: context.print }),
      )
    return 0
  },
}

function countIn({ args }: CommandContext, flag: string): number | undefined {
  const text = args.get(flag)
  if (text === undefined) return undefined
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new UsageError(`--${flag} must be a whole number, not ${text}`)
}
