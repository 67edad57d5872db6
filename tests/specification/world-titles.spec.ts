import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callAsOperator } from '../support/broker.ts'
import { assertRefused, broker, newWorld, placeOrder, restingBuy } from './stage.ts'

const control = (method: string, path: string, body?: object) =>
  callAsOperator(broker, method, `/sim/v1/worlds/${path}`, body)
const textsOf = async (world: string) => {
  const { title, note } = (await control('GET', world)).body
  return { title, note }
}

test('a title and a note are set apart from each other, and an empty text removes one', async () => {
  const { world } = await newWorld()
  const steps = [
    [{ title: 'Stops' }, { title: 'Stops', note: undefined }],
    [{ note: 'Instead of buying the dip' }, { title: 'Stops', note: 'Instead of buying the dip' }],
    [{ title: '' }, { title: undefined, note: 'Instead of buying the dip' }],
    [{}, { title: undefined, note: 'Instead of buying the dip' }],
  ] as const
  for (const [body, texts] of steps) {
    const { status, body: shown } = await control('PATCH', world, body)
    assert.deepEqual([status, { title: shown.title, note: shown.note }], [200, texts])
    assert.deepEqual(await textsOf(world), texts)
  }
})

for (const [name, body, problem] of [
  ['a long title', { title: 'x'.repeat(61) }, /title: /],
  ['a long note', { note: 'x'.repeat(501) }, /note: /],
  ['a title that is no text', { title: 5 }, /title: /],
  ['an unknown field', { name: 'friday' }, /name/],
] as const)
  test(`${name} is refused with its field and changes nothing`, async () => {
    const { world, created } = await newWorld()
    assertRefused(await control('PATCH', world, body), 422, 40010001, problem)
    assert.equal((await control('GET', world)).body.seq, created.seq)
  })

test('an unknown world has no title', async () => {
  assertRefused(await control('PATCH', 'nowhere', { title: 'x' }), 404, 40410000)
})

test('a fork has its own title and note, and a reset keeps them', async () => {
  const { world } = await newWorld({ world: 'titled' })
  await control('PATCH', world, { title: 'Trunk', note: 'As it was' })
  const { body: plain } = await control('POST', `${world}/fork`, {})
  assert.deepEqual([plain.title, plain.note], [undefined, undefined])
  const { body: named } = await control('POST', `${world}/fork`, { title: 'Branch', note: 'With stops' })
  assert.deepEqual([named.title, named.note], ['Branch', 'With stops'])
  await control('PATCH', world, { note: 'Now' })
  await control('POST', `${world}/reset`)
  assert.deepEqual(await textsOf(world), { title: 'Trunk', note: 'Now' })
})

test('the same calls with titles give the same journal, although a temporary fork ends by real time', async () => {
  const heads = []
  for (const _ of [1, 2]) {
    const world = await newWorld({ seed: 'titles' })
    await control('PATCH', world.world, { title: 'Trunk' })
    const { body: fork } = await control('POST', `${world.world}/fork`, { temporary: true, note: 'Rewound' })
    const { seq, hash } = (await control('GET', `${fork.world}/journal`)).body
    heads.push({ seq, hash })
  }
  assert.deepEqual(heads[0], heads[1])
})

test('a fork names the last event that it shares with its parent', async () => {
  const world = await newWorld()
  const { body: past } = await control('POST', `${world.world}/fork`, { at: world.created.now })
  assert.equal(past.forked_seq, world.created.seq)
  await placeOrder(world, restingBuy)
  const { seq, forked_seq } = (await control('GET', world.world)).body
  const { body: fork } = await control('POST', `${world.world}/fork`, {})
  assert.deepEqual([fork.forked_seq, forked_seq], [seq, undefined])
})

/** What somebody does in a temporary fork. */
const uses = {
  'a title': (world: string) => control('PATCH', world, { title: 'Kept' }),
  'a fault rule': (world: string) =>
    control('POST', `${world}/faults`, {
      match: { operation: ['placeOrder'] },
      effect: { kind: 'answer_lost' },
    }),
  'a move of its clock': (world: string) => control('POST', `${world}/clock/advance`, { by: '1s' }),
  'a running clock': (world: string) => control('POST', `${world}/clock/run`, { speed: '1' }),
  'a market event': (world: string) =>
    control('POST', `${world}/market-events`, { kind: 'crash', at: '2026-01-05T16:00:00Z', depth: '0.1' }),
  'a fork of it': (world: string) => control('POST', `${world}/fork`, {}),
} as const

for (const [name, use] of Object.entries(uses))
  test(`a temporary fork is kept after ${name}`, async () => {
    const { world } = await newWorld()
    const { body: fork } = await control('POST', `${world}/fork`, { temporary: true })
    const inMs = Date.parse(fork.expires_at) - Date.now()
    assert.ok(inMs > 3_000_000 && inMs <= 3_600_000, `${inMs} ms`)
    const { status, body } = await use(fork.world)
    assert.ok(status < 300, JSON.stringify(body))
    assert.equal((await control('GET', fork.world)).body.expires_at, undefined)
    await control('DELETE', fork.world)
  })

test('a world that is no fork does not expire', async () => {
  const { world } = await newWorld()
  const { body } = await control('POST', `${world}/fork`, {})
  for (const name of [world, body.world])
    assert.equal((await control('GET', name)).body.expires_at, undefined)
})
