import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { migrate } from '../../postgres/migrations.ts'
import { Cluster } from '../../postgres/testing/server.ts'
import { folderRunFiles } from './folder-run-files.ts'
import { memoryRunFiles } from './memory-run-files.ts'
import { postgresRunFiles } from './postgres-run-files.ts'
import type { RunFiles } from './run-files.ts'

const cluster = await Cluster.common()
const folder = mkdtempSync(join(tmpdir(), 'quipu-run-files-'))
after(async () => {
  rmSync(folder, { recursive: true })
  await cluster.stop()
})

const url = await cluster.database('run_files')
await migrate(url)
const FENCE = 7
await cluster.run(
  `INSERT INTO quipu_journals (world, seq, hash, fence, holder, market) VALUES ('main', 0, '', ${FENCE}, 'this', 1)`,
  url,
)

const all: Readonly<Record<string, RunFiles>> = {
  folder: folderRunFiles(folder),
  memory: memoryRunFiles(),
  PostgreSQL: postgresRunFiles(url),
}
const journal = { fence: FENCE }
const contentOf = async (files: RunFiles, file: string): Promise<Buffer | undefined> => {
  const chunks = await files.read(file)
  return chunks && buffer(chunks)
}

for (const [name, files] of Object.entries(all))
  test(`${name}: a file is read as it was written, until it is deleted or no record names it`, async () => {
    const large = Buffer.alloc(2_500_000, 'run')
    await files.write('a', large)
    await files.write('b', Buffer.from('b'))
    await files.write('c', Buffer.from('c'))
    assert.equal((await contentOf(files, 'a'))?.equals(large), true)
    await files.delete('b')
    assert.equal(await contentOf(files, 'b'), undefined)
    await files.delete('b')
    const isKept = (file: string): boolean => file === 'a'
    await files.sweep({ isKept, olderThanMs: 600_000, journal })
    assert.equal((await contentOf(files, 'c'))?.toString(), 'c')
    await files.sweep({ isKept, olderThanMs: 0, journal })
    assert.equal(await contentOf(files, 'c'), undefined)
    assert.equal((await contentOf(files, 'a'))?.length, large.length)
  })

test('a node that has lost main deletes no file that its own records do not name', async () => {
  const files = postgresRunFiles(url)
  await files.write('of the next holder', Buffer.from('x'))
  const stale = { isKept: () => false, olderThanMs: 0 }
  await files.sweep({ ...stale, journal: { fence: FENCE - 1 } })
  assert.equal((await contentOf(files, 'of the next holder'))?.toString(), 'x')
  await files.sweep({ ...stale, journal })
  assert.equal(await contentOf(files, 'of the next holder'), undefined)
})

test('half a file that a crash left in the folder is deleted', async () => {
  writeFileSync(join(folder, 'd.quipu-run.part'), 'half')
  await folderRunFiles(folder).sweep({ isKept: () => true, olderThanMs: 0, journal: {} })
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('d')),
    [],
  )
})
