import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Body, type Broker, call, callAsOperator, newFolder, startBroker } from '../broker.ts'
import { Random, seed } from '../random.ts'
import { assertBooks, assertRemembered, assertSound, settled } from './checks.ts'
import { load, type Memory, newMemory } from './load.ts'

/** A disk that can be filled and emptied while a broker works on it. */
type Disk = {
  readonly folder: string
  /** Whether the system knows beforehand that a write would fail. */
  readonly isForeseen: boolean
  fill(broker: Broker): void
  empty(broker: Broker): void
}

const told = (error: unknown): string => String((error as { stderr?: unknown }).stderr || error).trim()

/** A file system of a few megabytes, where this user may mount one. */
function smallDisk(t: TestContext): Disk | undefined {
  const folder = newFolder()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m,mode=700', 'tmpfs', folder], { stdio: 'pipe' })
  } catch (error) {
    t.skip(`no small file system can be mounted here: ${told(error)}`)
    return undefined
  }
  t.after(() => execFileSync('umount', ['--lazy', folder]))
  const filler = join(folder, 'filler')
  return { folder, isForeseen: true, fill: () => fillUp(filler), empty: () => rmSync(filler) }
}

function fillUp(file: string): void {
  const handle = openSync(file, 'w')
  try {
    for (const size of [65_536, 4_096]) while (wrote(handle, Buffer.alloc(size)));
  } finally {
    closeSync(handle)
  }
}

function wrote(handle: number, bytes: Buffer): boolean {
  try {
    return writeSync(handle, bytes) > 0
  } catch {
    return false
  }
}

/** A limit on the size of files, which a user may set for processes of their own. */
function limitedFiles(t: TestContext): Disk | undefined {
  const folder = join(newFolder(), 'data')
  const limit = (size: string) => (broker: Broker) =>
    void execFileSync('prlimit', ['--pid', String(broker.process.pid), `--fsize=${size}:`], { stdio: 'pipe' })
  try {
    execFileSync('prlimit', ['--version'], { stdio: 'pipe' })
  } catch (error) {
    t.skip(`no limit can be put on the files of a process here: ${told(error)}`)
    return undefined
  }
  mkdirSync(folder)
  return { folder, isForeseen: false, fill: limit('1'), empty: limit('unlimited') }
}

const rows: readonly (readonly [given: string, disk: (t: TestContext) => Disk | undefined])[] = [
  ['a full disk', smallDisk],
  ['files that may not grow', limitedFiles],
]

for (const [given, diskOf] of rows)
  test(`${given}: 503 and nothing lost; with room again the world goes on (SEED=${seed})`, async (t) => {
    const disk = diskOf(t)
    if (!disk) return
    const memory = newMemory()
    const broker = await startBroker(['--data', disk.folder])
    t.after(broker.kill)
    const until = (name: string, isOver: () => boolean) =>
      load({ broker, random: new Random(seed, given, name), memory, name }, 16, isOver)
    await until('before', () => memory.orders.size >= 100)
    disk.fill(broker)
    await until('full', () => count(memory, 503) >= 20)
    assert(count(memory, 503) >= 20, broker.log().slice(-2000))
    await assertRefusing(broker)
    if (disk.isForeseen) await assertReading(broker)
    else await failedRebuilds(broker, 2)
    disk.empty(broker)
    await readyAgain(broker)
    const { size } = memory.orders
    await until('after', () => memory.orders.size >= size + 100)
    await assertNothingLost(broker, memory)
    assert.equal(await broker.stop(), 0, broker.log().slice(-2000))
    const again = await startBroker(['--data', disk.folder])
    t.after(again.kill)
    await assertNothingLost(again, memory)
  })

const count = ({ orders }: Memory, wanted: number): number =>
  [...orders.values()].filter(({ status }) => status === wanted).length

/** The process lives, says that it is not ready, and tells writers why and when to come again. */
async function assertRefusing(broker: Broker): Promise<void> {
  assert.equal((await call(broker, 'GET', '/healthz')).status, 200)
  const order = { symbol: 'KO', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
  // Where nobody foresees it, the world may be there for a moment between two failures.
  await eventually(broker, 'no order is refused', async () => {
    const { status, body, headers } = await call(broker, 'POST', '/v2/orders', order).catch(() => unanswered)
    if (status !== 503) return false
    assert.equal(body.message, 'the disk is full; nothing was applied')
    assert.match(headers.get('retry-after') ?? '', /^\d+$/)
    return true
  })
  await eventually(
    broker,
    'it is always ready',
    async () => (await call(broker, 'GET', '/readyz')).status === 503,
  )
}

/** A write whose outcome nobody can know gets no answer. */
const unanswered = { status: 0, body: {} as Body, headers: new Headers() }

/** Reads of memory, of the query tables, of the journal and of the market go on, and no world is rebuilt. */
async function assertReading(broker: Broker): Promise<void> {
  for (const path of [
    '/v2/account',
    '/v2/positions',
    '/v2/orders?status=all&limit=500',
    '/v2/account/activities',
    '/v2/account/portfolio/history',
    '/v2/stocks/bars?symbols=AAPL&timeframe=1Day',
  ])
    assert.equal((await call(broker, 'GET', path)).status, 200, `${path}: ${broker.log().slice(-2000)}`)
  const events = await callAsOperator(broker, 'GET', '/sim/v1/worlds/main/events?limit=10')
  assert.equal(events.status, 200)
  assert.doesNotMatch(broker.log(), /world failed/)
}

const PATIENCE_MS = 20_000

/** The disk stays full for longer than one rebuild takes. */
const failedRebuilds = (broker: Broker, wanted: number) =>
  eventually(broker, 'nothing is tried', async () => broker.log().split('"world failed"').length > wanted)

const readyAgain = (broker: Broker) =>
  eventually(broker, 'no way back', async () => (await call(broker, 'GET', '/readyz')).status === 200)

async function eventually(broker: Broker, otherwise: string, holds: () => Promise<boolean>): Promise<void> {
  for (const start = performance.now(); performance.now() - start < PATIENCE_MS; await sleep(50))
    if (await holds()) return
  assert.fail(`${otherwise}: ${broker.log().slice(-2000)}`)
}

async function assertNothingLost(broker: Broker, memory: Memory): Promise<void> {
  const seen = await settled(broker)
  assertRemembered(memory, seen)
  await assertBooks(broker, seen)
  await assertSound(broker)
}
