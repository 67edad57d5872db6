import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { call, callAsOperator, newFolder, newWorld, startBroker } from '../support/broker.ts'
import { barsFile, runOn } from '../support/imported-data.ts'
import { Random, seed } from '../support/random.ts'
import { broker as brokerInMemory } from '../support/shared-broker.ts'
import { load, save } from './files.ts'

const random = new Random(seed, 'hostile files')
const folder = newFolder()
const LIMIT = 4_000_000
const broker = await startBroker(['--data', folder, '--world-file-max-bytes', String(LIMIT)])
after(() => broker.kill())

await runOn(folder, 'import', barsFile)
const world = await newWorld(broker, { market: 'replay', start: '2025-03-10T13:00:00Z' })
const order = { symbol: 'ZQXW', qty: '1', side: 'buy', type: 'limit', limit_price: '1', time_in_force: 'gtc' }
for (let number = 0; number < 30; number++) await call(world, 'POST', '/v2/orders', order)
const file = await save(broker, world.world)
const headerEnd = file.indexOf('\n')
const header = JSON.parse(file.toString('utf8', 0, headerEnd))

/** A file with the right SHA-256 at its end, as somebody would craft it. */
function crafted(...parts: readonly (Buffer | string | object)[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) =>
      Buffer.isBuffer(part)
        ? part
        : Buffer.from(typeof part === 'string' ? part : `${JSON.stringify(part)}\n`),
    ),
  )
  const sha256 = createHash('sha256').update(body).digest('hex')
  return Buffer.concat([body, Buffer.from(`${JSON.stringify({ part: 'end', sha256 })}\n`)])
}

const rest = file.subarray(headerEnd + 1, file.subarray(0, -1).lastIndexOf('\n') + 1)
const without = { ...header, series: [] }
const other = [{ ...header.series[0], digest: 'f'.repeat(64) }]
const noBlocks = rest.subarray(0, rest.indexOf('{"part":"block"'))
const recordHead = (count: number, open: number) =>
  `\x1equipu 0001 0000000000000001 ${String(count).padStart(8, '0')} ${String(open).padStart(10, '0')} 0000000000 00000000 00000000\n`

async function assertRefused(bytes: Uint8Array, problem: RegExp, status = 422): Promise<void> {
  const before = (await callAsOperator(broker, 'GET', '/sim/v1/worlds')).body.length
  const response = await load(broker, bytes)
  assert.equal(response.status, status, JSON.stringify(response.body))
  assert.match(response.body.message, problem)
  assert.equal((await callAsOperator(broker, 'GET', '/sim/v1/worlds')).body.length, before)
}

for (const [name, bytes, problem] of [
  ['an empty file', Buffer.alloc(0), /expected a file|not a file/],
  ['another kind of file', Buffer.from('PK\x03\x04 a zip archive'), /not a file of/],
  ['JSON', Buffer.from('{"quipu":"shop"}\n'), /not a file of/],
  ['a newer format', crafted({ ...header, format: 2 }, rest), /format 2/],
  ['another market model', crafted({ ...header, marketModel: 99 }, rest), /market model 99/],
  ['a clock beyond the calendar', crafted({ ...header, now: '9223372036854775807' }, rest), /first line/],
  ['another hash', crafted({ ...header, hash: '0'.repeat(64) }, rest), /hash/],
  ['fewer events than it has', crafted({ ...header, seq: 3 }, rest), /instead of 3/],
  ['more events than it has', crafted({ ...header, seq: header.seq + 1 }, rest), /instead of/],
  ['no events', crafted({ ...without, seq: 0 }), /no events|not sound/],
  ['a series without its blocks', crafted({ ...header, series: other }, noBlocks), /blocks are missing/],
  ['a block of no series', crafted(without, rest), /damaged at byte/],
  ['a record that claims 10 GB', crafted(without, recordHead(1, 9_999_999_999)), /damaged at byte/],
  ['a record that claims 99 million events', crafted(without, recordHead(99_999_999, 10)), /damaged at byte/],
  ['a part that claims 10 GB', crafted(without, { part: 'report', bytes: 1e10 }), /damaged at byte/],
  ['an unknown part', crafted(header, { part: 'code', bytes: 0 }, rest), /damaged at byte/],
] as const)
  test(`${name} is refused`, () => assertRefused(bytes, problem))

test('a block that claims a billion rows is refused without memory for them', async () => {
  const at = rest.indexOf('{"part":"block"')
  const json = Buffer.from(
    JSON.stringify({ rows: 1e9, numbers: [{ type: 'same', first: 0, step: 1 }], texts: [] }),
  )
  const data = Buffer.concat([Buffer.alloc(4), json])
  data.writeUInt32LE(json.length)
  const sha256 = createHash('sha256').update(data).digest('hex')
  const line = JSON.parse(rest.toString('utf8', at, rest.indexOf('\n', at)))
  const block = { ...line, rows: 1e9, sha256, bytes: data.length }
  await assertRefused(
    crafted({ ...header, series: other }, noBlocks, block, data, '\n'),
    /wrong number of rows/,
  )
})

test('a file that is cut off anywhere is refused', async () => {
  for (let round = 0; round < 12; round++)
    await assertRefused(
      file.subarray(0, random.integer(1, file.length - 1)),
      /end is missing|not a file|damaged/,
    )
})

test('a file with any flipped byte is refused', async () => {
  for (let round = 0; round < 25; round++) {
    const damaged = Buffer.from(file)
    damaged[random.integer(0, file.length - 1)]! ^= 1 << random.integer(0, 7)
    await assertRefused(damaged, /damaged|not a file|end is missing|format|market model|first line/)
  }
})

test('a record with a flipped byte and the right SHA-256 is refused', async () => {
  const end = rest.indexOf('{"part":"block"')
  for (let round = 0; round < 25; round++) {
    const damaged = Buffer.from(rest)
    damaged[random.integer(0, end - 2)]! ^= 1 << random.integer(0, 7)
    await assertRefused(crafted(header, damaged), /damaged|cannot be replayed|not sound|journal format/)
  }
})

test('a file above the limit is refused', () => assertRefused(Buffer.alloc(LIMIT + 1), /larger than/, 413))

test('a server without a data folder refuses a file with imported data', async () => {
  const { status, body } = await load(brokerInMemory, file)
  assert.deepEqual([status, body.reason], [422, 'worldFileInvalid'])
  assert.match(body.message, /no data folder/)
})

test('the whole file is still accepted', async () => {
  const { status, body } = await load(broker, file, '?world=sound')
  assert.equal(status, 201, JSON.stringify(body))
})
