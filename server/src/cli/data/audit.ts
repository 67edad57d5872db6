import { existsSync } from 'node:fs'
import type { Config } from '../../config/config.ts'
import { openFolderToRead } from '../../process/folder.ts'
import type { AuditReport, CustodyReport } from '../../world/audit.ts'
import { type Command, type Context, Failed } from '../command.ts'
import { isServed } from '../find-server.ts'
import { printText, recordLines } from '../output.ts'
import { holding } from './stored-journal.ts'

export const auditCommand: Command = {
  name: 'audit',
  about:
    'Recompute every balance from its postings and check the hash chain. Without a server it reads the data ' +
    'folder or the database itself.',
  flags: { all: { about: 'Audit main and all other worlds; without a server, the durable ones.' } },
  operations: ['readAudit', 'listWorlds'],
  example: 'quipu audit --all',
  run: async (context) => {
    const { args, config, json, note } = context
    if (!json) note('reading the journal …')
    const audits = isServed(config) ? served(context) : await stored(config)
    if (!args.has('all')) return printAudit(context, await audits.one(config.world))
    const reports: AuditReport[] = []
    for (const world of await audits.names()) reports.push(await audits.one(world))
    return printAudits(context, reports)
  },
}

/** The worlds that can be audited. */
type Audits = {
  readonly names: () => Promise<readonly string[]>
  readonly one: (world: string) => Promise<AuditReport & { readonly world: string }>
}

const served = ({ operator }: Context): Audits => ({
  names: async () => (await operator().listWorlds({})).map(({ world }) => world),
  one: (world) => operator().readAudit({ params: { world } }),
})

async function stored({ store, data }: Config): Promise<Audits> {
  if (store.kind === 'embedded') return inFolder(data)
  // Loads the PostgreSQL library only if necessary.
  const { auditPostgres, worldsInPostgres } = await import('./audit-postgres.ts')
  return {
    names: () => worldsInPostgres(store.url),
    one: async (world) => ({ world, ...(await auditPostgres(store.url, world)) }),
  }
}

/** Locks the folder during an audit, so that no server starts to write. Changes nothing. */
async function inFolder(data: Config['data']): Promise<Audits> {
  if (data.kind === 'memory' || !existsSync(data.path))
    throw new Failed(
      `there is no data folder ${data.kind === 'memory' ? 'in memory' : data.path}: set one with --data`,
    )
  const { path } = data
  // Loads the core only if necessary.
  const { checkFolder, checkJournal } = await import('../../backup/check-journal.ts')
  const { storedWorld, worldsIn } = await import('../../backup/worlds.ts')
  const audit = async (world: string): Promise<AuditReport> => {
    if (world === 'main') return checkFolder(path)
    const found = await storedWorld(path, world)
    if (!found) throw new Failed(`${path} has no durable world ${world}: check --data and --world`)
    return checkJournal(found.journal)
  }
  return {
    names: async () => ['main', ...(await worldsIn(path))],
    one: async (world) => ({
      world,
      ...(await holding(openFolderToRead(path), () => audit(world))),
    }),
  }
}

function printAudits(context: Context, reports: readonly AuditReport[]): 0 | 1 {
  printText(context, reports, ...reports.flatMap((report) => [...linesOf(report), '']).slice(0, -1))
  return reports.every(({ sound }) => sound) ? 0 : 1
}

/** Prints a report; for people, the custody of each issuer and share on one line. */
export function printAudit(context: Context, report: AuditReport): 0 | 1 {
  printText(context, report, ...linesOf(report))
  return report.sound ? 0 : 1
}

const linesOf = ({ tokenization, ...rest }: AuditReport): readonly string[] =>
  recordLines({ ...rest, tokenization: tokenization.map(custodyLine) })

function custodyLine(report: CustodyReport): string {
  const { issuer, underlying_symbol, custody, multiplier, tokens, in_flight } = report
  const networks = Object.entries(tokens).map(([network, amount]) => `${amount} on ${network}`)
  const behind = [...networks, `${in_flight} in flight`].join(', ')
  return `${issuer} keeps ${custody} ${underlying_symbol}, ${multiplier} for each token: ${behind}`
}
