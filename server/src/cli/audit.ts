import { existsSync } from 'node:fs'
import { auditEvents } from '../audit.ts'
import type { Config } from '../config/config.ts'
import { openFolder } from '../folder.ts'
import { mainPlaces } from '../folder-layout.ts'
import { damageText } from '../journal/journal.ts'
import { JournalReader } from '../journal/reader.ts'
import { verifyJournal } from '../journal/verify.ts'
import { type Command, Failed, NoServer, UsageError } from './command.ts'
import { findServer } from './find-server.ts'
import { recordLines } from './output.ts'

export const auditCommand: Command = {
  name: 'audit',
  about:
    'Recomputes every balance from its postings and follows the chain of hashes. Without a server it reads the ' +
    'data folder itself.',
  operations: ['readAudit'],
  example: 'quipu audit',
  run: async ({ config, operator, json, say, note }) => {
    const { world } = config
    if (!json) note('reading the journal …')
    const report = isServed(config)
      ? await operator().readAudit({ params: { world } })
      : { world, ...(await auditFolder(config)) }
    say(json ? JSON.stringify(report) : recordLines(report).join('\n'))
    return report.sound ? 0 : 1
  },
}

function isServed(config: Config): boolean {
  try {
    findServer(config)
    return true
  } catch (error) {
    if (error instanceof NoServer) return false
    throw error
  }
}

/** Holds the folder meanwhile, so that no server starts to write, and changes nothing in it. */
async function auditFolder({ data, world }: Config) {
  if (world !== 'main') throw new UsageError('without a server there is only main: leave --world out')
  if (data.kind === 'memory' || !existsSync(data.path))
    throw new Failed(
      `there is no data folder ${data.kind === 'memory' ? 'in memory' : data.path}: name one with --data`,
    )
  const folder = await openFolder(data.path)
  try {
    return await auditJournal(mainPlaces(folder.path).journal)
  } finally {
    folder.release()
  }
}

async function auditJournal(journalFolder: string) {
  const { head, damage } = await verifyJournal(journalFolder)
  const reader = new JournalReader(journalFolder)
  try {
    const report = await auditEvents(reader.read(0, head.seq), head)
    if (!damage) return report
    const problem = `the journal is ${damageText(damage)}`
    return { ...report, sound: false, problems: [problem, ...report.problems] }
  } finally {
    await reader.close()
  }
}
