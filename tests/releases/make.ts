// Stores a data folder of this version: `node tests/releases/make.ts`, once per release. A stored folder is never
// created again, because it proves that later versions read the data of earlier ones.
import { existsSync, writeFileSync } from 'node:fs'
import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { VirtualClock } from '../../broker/src/clock/virtual.ts'
import { openFolder } from '../../broker/src/data-folder/folder.ts'
import { mainPaths } from '../../broker/src/data-folder/folder-layout.ts'
import { writeCredentials } from '../../broker/src/data-folder/owner-file.ts'
import { version } from '../../broker/src/data-folder/version.ts'
import { copyJournal } from '../../broker/src/journal/copy.ts'
import { syntheticMarket } from '../../broker/src/market/synthetic/synthetic.ts'
import { filesStore } from '../../broker/src/registry/store/main-store.ts'
import { MAIN } from '../../broker/src/registry/worlds.ts'
import { runJob } from '../../broker/src/world/jobs.ts'
import { amount } from '../../broker/src/world/testing/world.ts'
import { openWorld, type World } from '../../broker/src/world/world.ts'
import { newFolder, startBroker } from '../support/broker.ts'
import { credentials, recordHistory, START } from './history.ts'
import { responsesOf, summarizeJournal } from './record.ts'

const release = join(import.meta.dirname, version)
if (existsSync(release)) throw new Error(`${release} already exists; a stored release never changes`)

const folder = newFolder()
await makeData(folder)
const data = join(release, 'data')
await mkdir(data, { recursive: true })
await copyJournal(mainPaths(folder).journal, mainPaths(data).journal)
for (const name of ['format.json', 'credentials.json']) await cp(join(folder, name), join(data, name))
keep('books.table.json', await summarizeJournal(data))
const broker = await startBroker(['--data', folder])
keep('responses.table.json', await responsesOf(broker))
await broker.stop()

function keep(name: string, value: unknown): void {
  writeFileSync(join(release, name), `${JSON.stringify(value, undefined, 2)}\n`)
}

async function makeData(path: string): Promise<void> {
  const lockedFolder = await openFolder(path)
  const failed = (error: unknown): never => {
    throw error
  }
  let opened: World | undefined
  const clock = new VirtualClock(START, async () => opened?.commands.quiet(), failed)
  const world = await openWorld({
    ...filesStore(path, { warn: failed, recovered: failed }),
    id: MAIN,
    code: '00',
    clock,
    settings: {
      seed: 'release',
      hours: 'nyse',
      fillSize: 'displayed',
      latencyNs: 20_000_000n,
      startingCash: amount('100000'),
    },
    market: syntheticMarket,
    runJob,
    queueMax: 10_000,
    queryTablesLagMax: 100_000,
    queryTablesWaitMs: 1_000,
    failed,
  })
  opened = world
  const accountId = await recordHistory(world, clock)
  await world.close()
  writeCredentials(path, { ...credentials, accountId })
  lockedFolder.release()
}
