import {
  BackupFailed,
  BackupUnusable,
  FolderNotEmpty,
  FolderNotMovable,
  NoJournal,
  StoreInUse,
} from '@quipu/broker/backup/failures.ts'
import {
  FolderInUse,
  FolderNewer,
  FolderNotWritable,
  FolderOfOtherMarket,
  FolderUnreadable,
} from '@quipu/broker/data-folder/folder.ts'
import { LeadsOut } from '@quipu/broker/data-folder/keep-owner.ts'
import { OwnerFileUnreadable } from '@quipu/broker/data-folder/owner-file.ts'
import { ImportStopped, ImportUsage } from '@quipu/broker/import/failures.ts'
import { Fenced, JournalDamaged, JournalLost, JournalNewer } from '@quipu/broker/journal/journal.ts'
import { NotApplied, type NotAppliedReason } from '@quipu/broker/journal/not-applied.ts'
import {
  ImportedDataMissing,
  StoreChanged,
  StoreDamaged,
  StoreNewer,
} from '@quipu/broker/market/store/failures.ts'
import {
  PostgresNewer,
  PostgresOfOtherMarket,
  PostgresUnfit,
  PostgresUnreachable,
} from '@quipu/broker/postgres/failures.ts'
import { errorMessage } from '@quipu/core/values'
import { ApiError, AuthError, NetworkError } from '@quipu/sdk'
import { ConfigError } from '@quipu/server/config/config.ts'
import { shellWord } from '@quipu/server/doctor/shell-word.ts'
import { CommandFailed, type ExitCode, NoServer, UsageError } from './command.ts'

/** One line for a person (what is wrong, where, what to do) and the exit code. */
export type Explained = { readonly line: string; readonly exit: ExitCode }

type Row<Kind> = {
  readonly is: new (...args: never[]) => Kind
  readonly exit: ExitCode
  readonly line: (error: Kind) => string
}

/** The line is the message, the message with a hint, or another text. */
const row = <Kind extends Error>(
  is: Row<Kind>['is'],
  exit: ExitCode,
  hint: string | Row<Kind>['line'] = ({ message }) => message,
): Row<Error> => {
  const line = typeof hint === 'string' ? ({ message }: Error) => `${message}: ${hint}` : hint
  return { is, exit, line: line as Row<Error>['line'] }
}

/** What a start or a command on a data folder says if its world stops under it. */
const interruptions: Readonly<Record<NotAppliedReason, string>> = {
  queueFull: 'too much waits for the disk: wait',
  diskFull: 'the disk is full: free some space',
  queryTablesBehind: 'the query tables are too far behind the journal: wait',
  worldRestarting:
    'the database or another program interrupted the world: see that the database runs and that no other program uses it,',
  readerStopped: 'the thread that reads history ended: give the program more memory',
}

/** Failures by class. A subclass comes before its parent. */
const byClass: readonly Row<Error>[] = [
  row(UsageError, 2),
  row(ConfigError, 2),
  row(NoServer, 3),
  row(CommandFailed, 1),
  row(ImportUsage, 2),
  row(ImportStopped, 1),
  row(StoreDamaged, 1, 'move the folder `market` away, and import the files again'),
  row(
    ImportedDataMissing,
    1,
    'copy the folder `market` from the machine or the backup that has it, or move it away and ' +
      'import the same files again in the same order; nothing was changed',
  ),
  row(StoreNewer, 1, 'install the newer version of quipu, or use another --data'),
  row(StoreChanged, 1),
  row(OwnerFileUnreadable, 1),
  row(BackupFailed, 1),
  row(NoJournal, 1),
  row(StoreInUse, 1),
  row(BackupUnusable, 1),
  row(FolderNotEmpty, 1),
  row(FolderNotMovable, 1),
  row(
    FolderInUse,
    1,
    ({ message, path }) =>
      `${message}: end it with \`quipu stop --data ${shellWord(path)}\`, or use another folder with --data`,
  ),
  row(FolderNotWritable, 1, 'make it writable for this user, or use another folder with --data'),
  row(LeadsOut, 1, 'delete it, or run the command as the user of the service'),
  row(FolderNewer, 1, 'install the newer version of quipu, or use another folder with --data'),
  row(FolderOfOtherMarket, 1, 'use a new folder with --data, or the version of quipu that wrote this one'),
  row(FolderUnreadable, 1, 'restore that file, or use another folder with --data'),
  row(JournalDamaged, 1, 'restore a backup; no data was changed'),
  row(
    JournalLost,
    1,
    ({ message, end }) =>
      `${message}: restore a backup, or continue without the lost events with \`quipu start --accept-journal-loss\`` +
      (end === 0 ? '; if the journal is in PostgreSQL, set QUIPU_STORE' : ''),
  ),
  row(Fenced, 1, 'run only one engine per world'),
  row(NotApplied, 1, ({ reason }) => `${interruptions[reason]} and start again`),
  row(
    PostgresUnreachable,
    1,
    'start it, or correct the address in QUIPU_STORE (or --store) and the rights of its role',
  ),
  row(PostgresNewer, 1, 'install the newer version of quipu, or use another database with QUIPU_STORE'),
  row(
    PostgresOfOtherMarket,
    1,
    'use another database with QUIPU_STORE, or the version of quipu that wrote this one',
  ),
  row(PostgresUnfit, 1, 'create another database with `createdb --encoding=UTF8 --template=template0`'),
  row(JournalNewer, 1, 'install the newer version of quipu, or use another folder with --data'),
  row(AuthError, 4, ({ message, reason }) =>
    reason === 'oauthClientRefused'
      ? 'no app has this client id: `quipu app list` lists them'
      : `the server does not accept this credential (${message}): check the keys and --data`,
  ),
  row(ApiError, 4, ({ message, reason }) => (reason !== undefined && cliMessages[reason]) || message),
  row(NetworkError, 3, networkLine),
]

/** Server messages about HTTP, rewritten for the command line. */
const cliMessages: Readonly<Record<string, string>> = {
  forbidden: 'this credential may not do that: set QUIPU_BROKER_KEY and QUIPU_BROKER_SECRET of an operator',
  endpointNotFound: 'the server does not have this endpoint: it runs with `--sim off`, or is another version',
  mainClockNotAdjustable:
    'main runs on the wall clock; create a world with `quipu world create` and select it with --world',
}

const untrusted: ReadonlySet<unknown> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
])

/** Whether the code says that nobody vouches for a certificate. */
export const isUntrusted = (code: string | undefined): boolean => untrusted.has(code)

const rootOf = ({ cause }: NetworkError): unknown =>
  cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause

/** The code of the failure behind it, such as ECONNREFUSED. */
export const exitCode = (error: NetworkError): string | undefined =>
  (rootOf(error) as SystemError | undefined)?.code

function networkLine(error: NetworkError): string {
  const { message } = error
  const rootCause = rootOf(error)
  if (!isUntrusted(exitCode(error)))
    return message.replace(/^[A-Z]+ (https?:\/\/[^/\s]+?)(?:\/\S*)?: /, 'no response from $1: ')
  // Node adds advice about its own flags after the semicolon.
  const [why] = errorMessage(rootCause).split(';')
  return `the certificate of the server is not trusted (${why}): set its file with --ca`
}

type SystemError = NodeJS.ErrnoException & {
  readonly address?: string
  readonly port?: number
  readonly hostname?: string
}
type SystemRow = (error: SystemError) => string

const listenAddress = ({ address = 'this address', port = 0 }: SystemError): string =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`

const unknownHost: SystemRow = ({ hostname }) => `${hostname} is not a known host: use another with --host`

const certificate: SystemRow = ({ message }) =>
  `the certificate and key cannot be used (${message}): check the files of --tls`

/** System errors while the server starts to listen or reads its files. */
const byCode: Readonly<Record<string, SystemRow>> = {
  EADDRINUSE: (error) =>
    `${listenAddress(error)} is already in use: stop that process, or use another port with --port (0 selects a free one)`,
  EADDRNOTAVAIL: (error) =>
    `${listenAddress(error)} is not an address of this machine: use another one with --host`,
  EAI_AGAIN: unknownHost,
  ENOTFOUND: unknownHost,
  EACCES: (error) =>
    error.syscall === 'listen'
      ? `${listenAddress(error)} is not allowed for this user: use a port of 1024 or higher with --port`
      : `${error.path} cannot be opened by this user: change its permissions`,
  ENOENT: (error) => `${error.path} does not exist: check the settings with \`quipu config show\``,
  ENOSPC: (error) =>
    `the disk is full${error.path ? ` (${error.path})` : ''}: free some space and start again`,
}

/** Returns the line and the exit code for any failure. */
export function failureText(error: unknown): Explained {
  const known = byClass.find(({ is }) => error instanceof is)
  if (known) return { line: oneLine(known.line(error as Error)), exit: known.exit }
  const systemRow = rowFor((error as SystemError | undefined)?.code)
  if (systemRow) return { line: oneLine(systemRow(error as SystemError)), exit: 1 }
  const message = error instanceof Error ? error.message || error.name : String(error)
  return { line: oneLine(`unexpected: ${message}; set QUIPU_LOG=debug to see the stack`), exit: 1 }
}

function rowFor(code: unknown): SystemRow | undefined {
  if (typeof code !== 'string') return undefined
  if (Object.hasOwn(byCode, code)) return byCode[code]
  return code.startsWith('ERR_OSSL_') ? certificate : undefined
}

const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, ' ')
