import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { FlushTick, Outbox } from './outbox.ts'

/** A socket whose peer reads only when told to; to write nothing asks nothing of it. */
function slowSocket() {
  const writes: string[] = []
  const pending: (() => void)[] = []
  const socket = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (chunk.length === 0) return done()
      writes.push(chunk.toString())
      pending.push(done)
    },
  })
  return { socket, writes, read: () => pending.shift()?.() }
}

function outboxOn(socket: Writable, bytesMax: number, tick = new FlushTick()) {
  const seen = { overflows: 0, open: true }
  const outbox = new Outbox({
    socket,
    isOpen: () => seen.open,
    tick,
    bytesMax,
    overflowed: () => (seen.overflows += 1),
  })
  return { outbox, seen }
}

const push = (outbox: Outbox, ...texts: string[]) => {
  for (const text of texts) outbox.push(Buffer.from(text))
}

test('what comes in one turn leaves in one write', async () => {
  const { socket, writes } = slowSocket()
  const { outbox } = outboxOn(socket, 100)
  push(outbox, 'a', 'b', 'c')
  assert.deepEqual(writes, [])
  await turn()
  assert.deepEqual(writes, ['abc'])
})

test('thousands of clients are written to over several turns, each once, as their frames came', async () => {
  const tick = new FlushTick()
  const written: number[] = []
  for (let n = 0; n < 2000; n++) {
    const socket = new Writable({ write: (_chunk, _encoding, done) => done(void written.push(n)) })
    push(outboxOn(socket, 100, tick).outbox, 'a', 'b')
  }
  await turn()
  assert.ok(written.length > 0 && written.length < 500, `${written.length} in the first turn`)
  for (let turns = 0; turns < 20; turns++) await turn()
  assert.deepEqual(
    written,
    Array.from({ length: 2000 }, (_, n) => n),
  )
})

test('while a write is under way the next one gathers', async () => {
  const { socket, writes, read } = slowSocket()
  const { outbox } = outboxOn(socket, 100)
  push(outbox, 'a')
  await turn()
  push(outbox, 'b')
  await turn()
  push(outbox, 'c')
  await turn()
  assert.deepEqual(writes, ['a'])
  read()
  await turn()
  assert.deepEqual(writes, ['a', 'bc'])
})

test('what is under way counts towards the limit, and what is too much is not kept', async () => {
  const { socket, writes, read } = slowSocket()
  const { outbox, seen } = outboxOn(socket, 4)
  push(outbox, 'aa')
  await turn()
  push(outbox, 'bb')
  assert.equal(seen.overflows, 0)
  push(outbox, 'c')
  assert.equal(seen.overflows, 1)
  assert.equal(outbox.bytes, 4)
  read()
  await turn()
  assert.deepEqual(writes, ['aa', 'bb'])
})

test('the last words replace what waited', async () => {
  const { socket, writes, read } = slowSocket()
  const { outbox } = outboxOn(socket, 100)
  push(outbox, 'a')
  await turn()
  push(outbox, 'b', 'c')
  outbox.pushLast(Buffer.from('too slow'))
  read()
  await turn()
  assert.deepEqual(writes, ['a', 'too slow'])
})

test('sent means that nothing waits and nothing is under way', async () => {
  const { socket, read } = slowSocket()
  const { outbox } = outboxOn(socket, 100)
  await outbox.sent()
  push(outbox, 'a')
  let done = false
  const sent = outbox.sent().then(() => (done = true))
  push(outbox, 'b')
  read()
  await turn()
  assert.equal(done, false)
  read()
  await sent
  assert.equal(outbox.bytes, 0)
})

test('a closed outbox keeps nobody waiting and takes nothing', async () => {
  const { socket, writes } = slowSocket()
  const { outbox } = outboxOn(socket, 100)
  push(outbox, 'a')
  await turn()
  const sent = outbox.sent()
  outbox.close()
  await sent
  push(outbox, 'b')
  await turn()
  assert.deepEqual(writes, ['a'])
})

test('nothing follows a closing frame', async () => {
  const { socket, writes } = slowSocket()
  const { outbox, seen } = outboxOn(socket, 100)
  push(outbox, 'a')
  seen.open = false
  await turn()
  assert.deepEqual(writes, [])
  assert.equal(outbox.bytes, 0)
})

test('what the network takes at once is under way no more', async () => {
  const socket = new Writable({ write: (_chunk, _encoding, done) => done() })
  const { outbox } = outboxOn(socket, 100)
  push(outbox, 'a', 'b')
  outbox.tick()
  assert.equal(outbox.bytes, 0)
  await outbox.sent()
})
