import { existsSync } from 'node:fs'
import { openFolderToRead } from '@quipu/broker/data-folder/folder.ts'
import { checkTransits, pendingIn, type TransitReport } from '@quipu/broker/world/audit/transits.ts'
import type { Config } from '@quipu/server/config/config.ts'
import { type AuditOnWire, auditToWire, type CustodyOnWire } from '@quipu/server/wire/audit-wire.ts'
import { type CliCommand, type CommandContext, CommandFailed } from '../command.ts'
import { isServed } from '../find-server.ts'
import { printText, recordLines } from '../output.ts'
import { holding } from './stored-journal.ts'

export const auditCommand: CliCommand = {
  name: 'audit',
  about:
    'Recompute every balance from its postings and check the hash chain. Without a server it reads the data ' +
    'folder or the database itself.',
  flags: {
    all: {
      about:
        'Audit main and all other worlds; without a server, the durable ones. Also check that journals between ' +
        'worlds cancel.',
    },
  },
  operations: ['readAudit', 'listWorlds'],
  example: 'quipu audit --all',
  run: async (context) => {
    const { args, config, json, note } = context
    if (!json) note('reading the journal …')
    const audits = isServed(config) ? served(context) : await stored(config)
    if (!args.has('all')) return printAudit(context, await audits.one(config.world))
    return printAudits(context, await auditAll(audits))
  },
}

/** Also checks that the two sides of each journal between worlds cancel. */
async function auditAll(audits: Audits): Promise<readonly AllReport[]> {
  const reports = await eachOf(audits)
  const { problems, settled } = checkTransits(reports.map(transitsOf))
  // Worlds of a running server are audited one after the other, so a journal may be in one audit and not in the other.
  const again = problems.length > 0 ? checkTransits((await eachOf(audits)).map(transitsOf)).problems : []
  const lasting = again.filter(({ problem }) => problems.some((one) => one.problem === problem))
  return reports.map((report) => {
    const found = lasting.filter(({ world }) => world === report.world).map(({ problem }) => problem)
    return {
      ...report,
      sound: report.sound && found.length === 0,
      problems: [...report.problems, ...found],
      transits: pendingIn(report.transits),
      settled_transits: settled.get(report.world) ?? 0,
    }
  })
}

const transitsOf = ({ world, ledger_id, transits }: WorldReport) => ({ world, ledgerId: ledger_id, transits })

async function eachOf({ names, one }: Audits): Promise<readonly WorldReport[]> {
  const reports: WorldReport[] = []
  for (const world of await names()) reports.push(await one(world))
  return reports
}

type WorldReport = AuditOnWire & { readonly world: string; readonly ledger_id?: string | undefined }
type AllReport = WorldReport & { readonly settled_transits: number }

/** The worlds that can be audited. */
type Audits = {
  readonly names: () => Promise<readonly string[]>
  /** With all journals to and from other worlds. */
  readonly one: (world: string) => Promise<WorldReport>
}

const served = ({ operator }: CommandContext): Audits => ({
  names: async () => (await operator().listWorlds({})).map(({ world }) => world),
  one: (world) => operator().readAudit({ params: { world } }),
})

async function stored({ store, data }: Config): Promise<Audits> {
  if (store.kind === 'embedded') return inFolder(data)
  // Loads the PostgreSQL library only if necessary.
  const { auditPostgres, worldsInPostgres } = await import('./audit-postgres.ts')
  return {
    names: () => worldsInPostgres(store.url),
    one: (world) => auditPostgres(store.url, world),
  }
}

/** Locks the folder during an audit, so that no server starts to write. Changes nothing. */
async function inFolder(data: Config['data']): Promise<Audits> {
  if (data.kind === 'memory' || !existsSync(data.path))
    throw new CommandFailed(
      `there is no data folder ${data.kind === 'memory' ? 'in memory' : data.path}: set one with --data`,
    )
  const { path } = data
  // Loads the core only if necessary.
  const { checkFolder, checkJournal } = await import('@quipu/broker/backup/check-journal.ts')
  const { storedWorld, worldsIn } = await import('@quipu/broker/backup/worlds.ts')
  const audit = async (world: string): Promise<WorldReport> => {
    if (world === 'main') return { world, ledger_id: world, ...auditToWire(await checkFolder(path)) }
    const found = await storedWorld(path, world)
    if (!found) throw new CommandFailed(`${path} has no durable world ${world}: check --data and --world`)
    return { world, ledger_id: found.record.ledgerId, ...auditToWire(await checkJournal(found.journal)) }
  }
  return {
    names: async () => ['main', ...(await worldsIn(path))],
    one: (world) => holding(openFolderToRead(path), () => audit(world)),
  }
}

function printAudits(context: CommandContext, reports: readonly AllReport[]): 0 | 1 {
  printText(context, reports, ...reports.flatMap((report) => [...linesOf(report), '']).slice(0, -1))
  return reports.every(({ sound }) => sound) ? 0 : 1
}

/** Prints a report; for people, the custody of each issuer and share on one line. */
export function printAudit(context: CommandContext, report: AuditOnWire): 0 | 1 {
  const shown = { ...report, transits: pendingIn(report.transits) }
  printText(context, shown, ...linesOf(shown))
  return report.sound ? 0 : 1
}

const linesOf = ({ tokenization, transits, ...rest }: AuditOnWire): readonly string[] =>
  recordLines({ ...rest, tokenization: tokenization.map(custodyLine), transits: transits.map(transitLine) })

const transitLine = ({ id, world, asset, amount }: TransitReport): string =>
  `${amount} ${asset} under way to ${world}: ${id}`

function custodyLine(report: CustodyOnWire): string {
  const { issuer, underlying_symbol, custody, multiplier, tokens, in_flight } = report
  const networks = Object.entries(tokens).map(([network, amount]) => `${amount} on ${network}`)
  const behind = [...networks, `${in_flight} in flight`].join(', ')
  return `${issuer} keeps ${custody} ${underlying_symbol}, ${multiplier} for each token: ${behind}`
}
