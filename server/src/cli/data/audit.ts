import { existsSync } from 'node:fs'
import type { Config } from '../../config/config.ts'
import { openFolderToRead } from '../../process/folder.ts'
import { type Command, Failed, UsageError } from '../command.ts'
import { isServed } from '../find-server.ts'
import { auditLines } from './audit-lines.ts'

export const auditCommand: Command = {
  name: 'audit',
  about:
    'Recompute every balance from its postings and check the hash chain. Without a server it reads the data ' +
    'folder or the database itself.',
  operations: ['readAudit'],
  example: 'quipu audit',
  run: async ({ config, operator, json, say, note }) => {
    const { world } = config
    if (!json) note('reading the journal …')
    const report = isServed(config)
      ? await operator().readAudit({ params: { world } })
      : { world, ...(await auditBooks(config)) }
    say(json ? JSON.stringify(report) : auditLines(report).join('\n'))
    return report.sound ? 0 : 1
  },
}

async function auditBooks(config: Config) {
  const { store, world } = config
  if (store.kind === 'embedded') return auditFolder(config)
  // Loads the library for PostgreSQL, which nothing else here needs.
  const { auditPostgres } = await import('./audit-postgres.ts')
  return auditPostgres(store.url, world)
}

/** Holds the folder meanwhile, so that no server starts to write, and changes nothing in it. */
async function auditFolder({ data, world }: Config) {
  if (world !== 'main') throw new UsageError('without a server there is only main: leave --world out')
  if (data.kind === 'memory' || !existsSync(data.path))
    throw new Failed(
      `there is no data folder ${data.kind === 'memory' ? 'in memory' : data.path}: name one with --data`,
    )
  // Loads the rules, which nothing else here needs.
  const { checkFolder } = await import('../../backup/check-journal.ts')
  const folder = await openFolderToRead(data.path)
  try {
    return await checkFolder(folder.path)
  } finally {
    folder.release()
  }
}
