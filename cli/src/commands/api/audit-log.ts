import { type FileHandle, open } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { AuditEntryRecord } from '@quipu/contract'
import { createStreams } from '@quipu/sdk'
import { csv } from '@quipu/server/wire/csv.ts'
import { calling, fieldsOf, pagesOf } from '../call.ts'
import { type CliCommand, type CommandContext, CommandFailed, UsageError } from '../command.ts'
import { operatorOptions } from '../find-server.ts'
import { type Column, counted, printList, printStream, printText, utc } from '../output.ts'

/** Default start of a list without a time: this many events before the end. */
const LAST_EVENTS = 1_000

const filters = {
  since: { placeholder: 'TIME', about: 'Show rows from this time on: 2026-11-02T14:30:00Z.' },
  until: { placeholder: 'TIME', about: 'Show rows before this time.' },
  account: { placeholder: 'ID', about: 'Show rows of this account.', field: 'account_id' },
  caller: { placeholder: 'ID', about: 'Show rows of this key, partner, app, grant, user or session.' },
  address: { placeholder: 'ADDRESS', about: 'Show rows of this IP address.' },
  request: { placeholder: 'ID', about: 'Show the row of this request.', field: 'request_id' },
} as const

export const auditLogCommands: readonly CliCommand[] = [
  calling('eraseAddresses', {
    name: 'audit-log erase',
    about: 'Erase client addresses from the audit log of all worlds. The rest of each row stays.',
    flags: {
      address: { placeholder: 'ADDRESS', about: 'IP address to erase.' },
      before: { placeholder: 'DATE', about: 'Erase addresses recorded before this day (UTC): 2026-10-01.' },
    },
    otherFields: ({ args }) => {
      if (args.size > 0) return {}
      throw new UsageError('audit-log erase: expected --address ADDRESS or --before DATE')
    },
    example: 'quipu audit-log erase --address 203.0.113.7',
    print: (context, { erased }) =>
      printText(context, { erased }, `erased ${erased} ${erased === 1 ? 'address' : 'addresses'}`),
  }),
  {
    name: 'audit-log',
    about: 'Show who caused events: caller, client address and request. Newest last.',
    flags: {
      all: { about: `Show the whole log. Default: rows of the last ${LAST_EVENTS} events.` },
      ...filters,
      follow: { about: 'Wait for new rows and print each, until interrupted.' },
      export: {
        placeholder: 'FILE',
        about: 'Write the rows to a new file, as CSV (NAME.csv) or JSON lines.',
      },
    },
    operations: ['listAuditLog'],
    example: 'quipu audit-log --since 2026-11-01T00:00:00Z --export november.csv',
    run: async (context) => {
      const file = context.args.get('export')
      if (context.args.has('follow')) {
        if (file !== undefined)
          throw new UsageError('audit-log: expected --follow or --export, received both')
        return followed(context)
      }
      return file === undefined ? listed(context) : exported(context, resolve(file))
    },
  },
]

async function queryOf(context: CommandContext) {
  const { args } = context
  const fields = await fieldsOf(context, { flags: filters })
  const isWhole = args.has('all') || args.has('export') || Object.keys(fields).length > 0
  return { ...fields, last: isWhole ? undefined : LAST_EVENTS }
}

async function* pages(context: CommandContext): AsyncGenerator<readonly AuditEntryRecord[]> {
  const params = { world: context.config.world }
  const read = (query: object) => context.operator().listAuditLog({ params, query })
  for await (const { entries } of pagesOf(await queryOf(context), read)) yield entries
}

async function listed(context: CommandContext): Promise<0> {
  const entries: AuditEntryRecord[] = []
  for await (const page of pages(context)) entries.push(...page)
  return printList(context, entries, entryTable, 'no rows')
}

async function followed(context: CommandContext): Promise<0> {
  const call = { params: { world: context.config.world }, query: await queryOf(context) }
  const streams = createStreams(operatorOptions(context.config))
  return printStream(context, streams.listAuditLog(call), entryTable)
}

async function exported(context: CommandContext, path: string): Promise<0> {
  const file = await created(path)
  let rows = 0
  try {
    for await (const entries of pages(context)) {
      await file.write(path.endsWith('.csv') ? csvOf(entries, rows === 0) : linesOf(entries))
      rows += entries.length
    }
    await file.sync()
  } finally {
    await file.close()
  }
  return printText(context, { file: path, rows }, `${path}: ${counted(rows, 'row')}`)
}

/** Only the operator may read addresses and names of callers. */
const created = (path: string): Promise<FileHandle> =>
  open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'EEXIST' ? 'already exists; choose a new file' : error.message
    throw new CommandFailed(`${path}: ${why}`)
  })

const linesOf = (entries: readonly AuditEntryRecord[]): string =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')

function csvOf(entries: readonly AuditEntryRecord[], isFirst: boolean): string {
  const text = csv(COLUMNS, entries)
  return isFirst ? text : text.slice(text.indexOf('\r\n') + 2)
}

const COLUMNS = [
  ...['number', 'at', 'kind', 'request_id', 'operation', 'caller', 'key_id', 'partner_id', 'operator'],
  ...['client_id', 'grant_id', 'user_id', 'session_id', 'account_id', 'address'],
]

const entryTable: readonly Column<AuditEntryRecord>[] = [
  ['TIME (UTC)', ({ at }) => utc(at)],
  ['CALLER', (entry) => `${entry.caller} ${entry.key_id ?? entry.client_id ?? entry.user_id ?? '-'}`, 24],
  ['OPERATION', ({ operation }) => operation, 15],
  ['ADDRESS', ({ address = 'erased' }) => address],
  ['EVENT', ({ kind }) => kind],
  ['NUMBER', ({ number }) => number, 'right'],
  ['REQUEST', ({ request_id: id }) => id],
]
