import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { asLongWork, ClientDisconnected } from '../../clock/long-work.ts'
import { openFilesJournal } from '../../journal/files.ts'
import { storedEntry } from '../../journal/stored-event.ts'
import { fundedWorld } from '../testing/funded-world.ts'
import { auditEvents } from './audit.ts'
import { auditInThread } from './audit-in-thread.ts'

const folder = mkdtempSync(join(tmpdir(), 'quipu-audit-'))
const journal = await openFilesJournal(folder)
const { ledger: sound, events } = fundedWorld()
await journal.append(events.map((event) => storedEntry(event)))
const source = journal.source!
after(async () => {
  await journal.close()
  rmSync(folder, { recursive: true })
})

test('the report of the thread is the report of the main thread, also of a wrong ledger', async () => {
  for (const ledger of [undefined, sound, new Map()]) {
    const expected = { ...journal.head(), ledger }
    const report = await auditInThread({ source, expected })
    assert.deepEqual(report, await auditEvents(journal.read(0), expected))
    assert.equal(report?.sound, ledger?.size !== 0)
  }
})

test('a thread that cannot read the journal returns nothing', async () => {
  const expected = journal.head()
  assert.equal(await auditInThread({ source: { folder: join(folder, 'missing') }, expected }), undefined)
})

test('an audit ends with its client, and the next one runs', async () => {
  const runs = new Set<() => void>()
  const client = {
    isClosed: false,
    onClosed(run: () => void) {
      runs.add(run)
      return () => void runs.delete(run)
    },
  }
  const order = { source, expected: journal.head() }
  const audits = [1, 2].map(() => asLongWork('operator', client, () => auditInThread(order)))
  const next = auditInThread(order)
  client.isClosed = true
  for (const run of runs) run()
  for (const audit of audits) await assert.rejects(audit, ClientDisconnected)
  assert.equal((await next)?.sound, true)
  assert.equal(runs.size, 0)
})
