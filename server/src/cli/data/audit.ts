import { existsSync } from 'node:fs'
import type { Config } from '../../config/config.ts'
import { openFolderToRead } from '../../process/folder.ts'
import type { AuditReport, CustodyReport } from '../../world/audit.ts'
import { type Command, type Context, Failed, UsageError } from '../command.ts'
import { isServed } from '../find-server.ts'
import { printText, recordLines } from '../output.ts'
import { holding } from './stored-journal.ts'

export const auditCommand: Command = {
  name: 'audit',
  about:
    'Recompute every balance from its postings and check the hash chain. Without a server it reads the data ' +
    'folder or the database itself.',
  operations: ['readAudit'],
  example: 'quipu audit',
  run: async (context) => {
    const { config, operator, json, note } = context
    const { world } = config
    if (!json) note('reading the journal …')
    const report = isServed(config)
      ? await operator().readAudit({ params: { world } })
      : { world, ...(await auditStored(config)) }
    return printAudit(context, report)
  },
}

async function auditStored(config: Config) {
  const { store, world } = config
  if (store.kind === 'embedded') return auditFolder(config)
  // Loads the PostgreSQL library only if necessary.
  const { auditPostgres } = await import('./audit-postgres.ts')
  return auditPostgres(store.url, world)
}

/** Locks the folder meanwhile, so that no server starts to write. Changes nothing. */
async function auditFolder({ data, world }: Config) {
  if (world !== 'main') throw new UsageError('without a server there is only main: remove --world')
  if (data.kind === 'memory' || !existsSync(data.path))
    throw new Failed(
      `there is no data folder ${data.kind === 'memory' ? 'in memory' : data.path}: set one with --data`,
    )
  // Loads the core only if necessary.
  const { checkFolder } = await import('../../backup/check-journal.ts')
  return holding(openFolderToRead(data.path), () => checkFolder(data.path))
}

/** Prints a report; for people, the custody of each issuer and share on one line. */
export function printAudit(context: Context, report: AuditReport): 0 | 1 {
  const { tokenization, ...rest } = report
  printText(context, report, ...recordLines({ ...rest, tokenization: tokenization.map(custodyLine) }))
  return report.sound ? 0 : 1
}

function custodyLine(report: CustodyReport): string {
  const { issuer, underlying_symbol, custody, multiplier, tokens, in_flight } = report
  const networks = Object.entries(tokens).map(([network, amount]) => `${amount} on ${network}`)
  const behind = [...networks, `${in_flight} in flight`].join(', ')
  return `${issuer} keeps ${custody} ${underlying_symbol}, ${multiplier} for each token: ${behind}`
}
